"""The addresses of the doctor."""

from __future__ import annotations

from starlette.routing import Route

from agent_journal.web.doctor.page import doctor_page

DOCTOR = (Route("/doctor", doctor_page),)
