"""Which session wrote a line: joins what git knows of a repository with what agents wrote."""
