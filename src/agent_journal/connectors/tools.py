"""The canonical kind of each tool, by its name in any agent."""

from __future__ import annotations

from agent_journal.model import ToolKind

_KINDS: dict[ToolKind, str] = {
    "shell": """
        bash shell powershell pwsh local_shell execute run_in_terminal exec_command bashoutput
        killshell killbash read_bash write_bash stop_bash read_powershell write_powershell
        stop_powershell list_bash monitor taskoutput get_terminal_output send_to_terminal
        kill_terminal terminal_last_command terminal_selection create_and_run_task run_task
        get_task_output run_notebook_cell runtests write_stdin shell_command container.exec
        unified_exec run_shell_command run_terminal_cmd run_terminal_command
        run_terminal_command_v2 exec process
        execute_command run_commands
        terminal execute_bash
    """,
    "read": """
        read view ls notebookread read_file cat open_file list_dir view_image
        read_notebook_cell_output copilot_getnotebooksummary get_errors get_changed_files
        read_many_files list_directory get_internal_docs read_file_v2 list_dir_v2 read_lints
        readlints fetch_rules readfile readmediafile
        list_files list_code_definition_names read_files access_mcp_resource
        list fs_read
    """,
    "edit": """
        edit write create multiedit notebookedit str_replace_editor str_replace apply_patch
        write_file insert replace_string_in_file multi_replace_string_in_file
        insert_edit_into_file create_file create_directory edit_notebook_file replace edit_file
        edit_file_v2 search_replace strreplace delete_file delete reapply edit_notebook
        applypatch writefile strreplacefile
        write_to_file replace_in_file apply_diff insert_content search_and_replace editor
        create_new_file edit_existing_file single_find_and_replace multi_edit
        patch fs_write
    """,
    "search": """
        grep glob rg search find toolsearch code_search semantic_search file_search grep_search
        test_search search_workspace_symbols github_repo tool_search search_file_content
        codebase_search ripgrep_raw_search glob_file_search semanticsearch semantic_search_full
        search_files search_codebase file_glob_search
        codesearch find_path
    """,
    "web": """
        webfetch websearch web_fetch web_search fetch fetch_url web_search_call fetch_webpage
        google_web_search
        fetch_web_content browser_action fetch_url_content
    """,
    "todo": """
        todowrite todoread taskcreate taskupdate tasklist taskget update_todo todo sql
        manage_todo_list write_todos todo_write settodolist todolist
        update_todo_list checklist
    """,
    "agent": """
        task agent workflow skill read_agent list_agents delegate sendmessage delegate_to_agent
        invoke_agent codebase_investigator activate_skill spawn_agent wait_agent send_input
        close_agent resume_agent task_v2
        new_task use_subagents
    """,
    "plan": """
        exitplanmode enterplanmode exit_plan_mode enter_plan_mode update_plan vscode_reviewplan
        create_plan createplan plan_enter plan_exit plan_mode_respond
    """,
    "ask": """
        askuserquestion ask_user ask request_user_input vscode_askquestions ask_question
        askquestion ask_followup_question question
    """,
}
_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names.split()}


def tool_kind(name: str | None, server: str | None = None) -> ToolKind:
    """The canonical kind of a tool by its name and, for MCP tools, its server."""
    if server or (name and name.startswith("mcp__")):
        return "mcp"
    return _BY_NAME.get((name or "").lower(), "other")
