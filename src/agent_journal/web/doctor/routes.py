"""The addresses of the doctor."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.later import later

DOCTOR = (Route("/doctor", later("doctor.page", "doctor_page")),)
