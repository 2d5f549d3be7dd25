"""The shape of every answer: docs/json.md and what the commands print are checked against it."""

from __future__ import annotations

from agent_journal.answers.backup import BackupExtra, BackupItem
from agent_journal.answers.blame import BlameItem
from agent_journal.answers.blocks import BlockItem, BlocksExtra
from agent_journal.answers.changes import ChangedItem, ChangesExtra
from agent_journal.answers.commit import CommitExtra, CommitItem
from agent_journal.answers.config import ConfigExtra, SettingItem
from agent_journal.answers.converted import ConvertedItem
from agent_journal.answers.doctor import DoctorExtra, DoctorItem
from agent_journal.answers.edits import EditItem, EditsExtra
from agent_journal.answers.expiring import ExpiringItem
from agent_journal.answers.exported import ExportedItem
from agent_journal.answers.file_log import FileLogExtra, FileLogItem
from agent_journal.answers.hits import HitItem, HitsExtra
from agent_journal.answers.imported import ImportedItem
from agent_journal.answers.installed import InstalledItem
from agent_journal.answers.marks import MarkedItem, TagItem
from agent_journal.answers.merged import MergedItem
from agent_journal.answers.pruned import PrunedExtra, PrunedItem
from agent_journal.answers.recall.commands import CommandItem
from agent_journal.answers.recall.file_history import FileHistoryItem
from agent_journal.answers.recall.fixes import FixItem
from agent_journal.answers.recall.why import WhyItem
from agent_journal.answers.repository_provenance import ProvenanceExtra, ProvenanceItem
from agent_journal.answers.restored import RestoredItem
from agent_journal.answers.resume import ResumeItem
from agent_journal.answers.rows import RowsExtra
from agent_journal.answers.schedule import ScheduleExtra, ScheduleItem
from agent_journal.answers.secrets import SecretItem
from agent_journal.answers.session import SessionExtra
from agent_journal.answers.sessions import SessionItem
from agent_journal.answers.sources import SourceItem
from agent_journal.answers.stats import StatsItem
from agent_journal.answers.sync import SyncItem
from agent_journal.answers.tables import TableItem
from agent_journal.answers.usage import UsageExtra, UsageItem
from agent_journal.answers.verify import VerifyItem
from agent_journal.model import Session

# kind -> its items; the columns of `rows` are those of the query
ITEMS: dict[str, type] = {
    "sync": SyncItem,
    "sessions": SessionItem,
    "changes": ChangedItem,
    "hits": HitItem,
    "session": Session,
    "marks": MarkedItem,
    "tags": TagItem,
    "edits": EditItem,
    "sources": SourceItem,
    "restored": RestoredItem,
    "backup": BackupItem,
    "merged": MergedItem,
    "pruned": PrunedItem,
    "exported": ExportedItem,
    "converted": ConvertedItem,
    "resume": ResumeItem,
    "imported": ImportedItem,
    "verify": VerifyItem,
    "doctor": DoctorItem,
    "rows": dict,
    "tables": TableItem,
    "blame": BlameItem,
    "commit": CommitItem,
    "file_log": FileLogItem,
    "provenance": ProvenanceItem,
    "usage": UsageItem,
    "blocks": BlockItem,
    "stats": StatsItem,
    "secrets": SecretItem,
    "expiring": ExpiringItem,
    "config": SettingItem,
    "schedule": ScheduleItem,
    "installed": InstalledItem,
    "fixes": FixItem,
    "commands": CommandItem,
    "file_history": FileHistoryItem,
    "why": WhyItem,
}
# kind -> fields next to the items
EXTRA: dict[str, type] = {
    "changes": ChangesExtra,
    "hits": HitsExtra,
    "session": SessionExtra,
    "edits": EditsExtra,
    "backup": BackupExtra,
    "doctor": DoctorExtra,
    "pruned": PrunedExtra,
    "rows": RowsExtra,
    "commit": CommitExtra,
    "file_log": FileLogExtra,
    "provenance": ProvenanceExtra,
    "usage": UsageExtra,
    "blocks": BlocksExtra,
    "config": ConfigExtra,
    "schedule": ScheduleExtra,
}
