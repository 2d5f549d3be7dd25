"""What was used and what it cost, from the sums that the catalog keeps."""
