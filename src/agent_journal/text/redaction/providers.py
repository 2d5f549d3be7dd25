"""The rules for tokens that show by their first characters who gave them: one table."""

from __future__ import annotations

import re
from typing import NamedTuple


class Rule(NamedTuple):
    """What tokens of a kind look like."""

    kind: str
    head: str  # what they begin with
    pattern: str  # compiled where one is met: most are never used


class Marked(NamedTuple):
    """What tokens of a kind look like that have other signs in them."""

    kind: str
    signs: str  # one of them is before the rest
    mark: str
    before: int  # the mark is at most so far before the rest
    first: int  # characters before the mark
    pattern: str


class Sized(NamedTuple):
    """What tokens of a kind look like that have no head."""

    kind: str
    length: int
    mark: str
    place: int  # of the mark
    pattern: str


_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_END = r"(?![\w-])"

# Kind, what it begins with, the rest, and what is known of it: what providers write about the
# shape of their tokens, and what the public lists of secret scanners name.
_TABLE: tuple[tuple[str, str, str, str], ...] = (
    # -- models and what is built around them
    ("anthropic-key", "sk-ant-", r"[\w-]{20,}", "api03, admin01, oat01 and more, then 95"),
    ("langfuse-key", "sk-lf-", _UUID, "a UUID"),
    ("openai-key", "sk-", r"(?:proj|svcacct|admin|or-v1|None)-[\w-]{20,}", "OpenRouter: or-v1"),
    ("openai-key", "sk-", rf"[A-Za-z0-9]{{20,}}{_END}", "48 in all; DeepSeek and others alike"),
    ("groq-key", "gsk_", r"[A-Za-z0-9]{30,}", "52"),
    ("xai-key", "xai-", r"[A-Za-z0-9]{40,}", "80"),
    ("perplexity-key", "pplx-", r"[A-Za-z0-9]{30,}", "48"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{30,}", "37"),
    ("huggingface-token", "hf_", r"[A-Za-z0-9]{28,}", "34"),
    ("huggingface-token", "api_org_", r"[A-Za-z0-9]{28,}", "34, of an organisation"),
    ("nvidia-key", "nvapi-", r"[\w-]{40,}", "64"),
    ("fireworks-key", "fw_", rf"[A-Za-z0-9]{{22,26}}{_END}", "24"),
    ("together-key", "tgp_v1_", r"[\w-]{40,}", "43"),
    ("jina-key", "jina_", r"[A-Za-z0-9]{50,}", "60"),
    ("tavily-key", "tvly-", r"[\w-]{24,}", "32, after dev- or prod-"),
    ("langsmith-key", "lsv2_", r"(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", "32 and 10 hex digits"),
    ("pinecone-key", "pcsk_", r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,}", "5 and 63"),
    ("e2b-key", "e2b_", r"[a-f0-9]{40}", "40 hex digits"),
    ("wandb-key", "wandb_v1_", r"\w{40,}", "77"),
    # -- clouds
    ("aws-key", "A", r"(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "16 of base32"),
    ("aws-key", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}", "Bedrock: base64"),
    ("google-key", "AIza", r"[\w-]{35}", "35"),
    ("google-secret", "GOCSPX-", r"[\w-]{20,}", "28"),
    ("google-token", "ya29.", r"[\w-]{20,}", "access token"),
    ("alibaba-key", "LTAI", rf"[A-Za-z0-9]{{12,24}}{_END}", "20"),
    ("yandex-key", "AQVN", r"[\w-]{35,38}", "36"),
    ("digitalocean-token", "do", r"[opr]_v1_[a-f0-9]{40,}", "64 hex digits"),
    ("heroku-key", "HRKU-", r"[\w-]{30,}", "60, or a UUID"),
    ("fly-token", "fm", r"(?:2|1[ar])_[\w+/=-]{60,}", "a macaroon in base64"),
    ("fly-token", "fo1_", r"[\w-]{43}", "43"),
    ("render-key", "rnd_", r"[A-Za-z0-9]{20,}", "28"),
    ("netlify-token", "nfp_", r"[A-Za-z0-9]{30,}", "36"),
    ("scalingo-token", "tk-us-", r"[\w-]{48}", "48"),
    ("cloudflare-key", "v1.0-", r"[a-f0-9]{24}-[a-f0-9]{100,}", "origin CA: 24 and 146 hex"),
    ("vault-token", "hvs.", r"[\w-]{20,}", "90 and more"),
    ("vault-token", "hvb.", r"[\w-]{20,}", "138 and more"),
    (
        "doppler-token",
        "dp.",
        r"(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,}",
        "43",
    ),
    ("pulumi-token", "pul-", r"[a-f0-9]{40}", "40 hex digits"),
    ("prefect-key", "pnu_", r"[A-Za-z0-9]{36}", "36"),
    ("infracost-key", "ico-", r"[A-Za-z0-9]{32}", "32"),
    ("tailscale-key", "tskey-", r"[\w-]{20,}", "auth-, api- or client-"),
    ("defined-key", "dnkey-", r"[\w-]{60,}", "26 and 52"),
    ("octopus-key", "API-", rf"[A-Z0-9]{{26,32}}{_END}", "26"),
    ("harness-key", "pat.", r"[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}", "22, 24 hex, 20"),
    ("harness-key", "sat.", r"[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}", "22, 24 hex, 20"),
    # -- code, packages, builds
    ("github-token", "gh", r"[pousr]_[A-Za-z0-9]{30,}", "36"),
    ("github-token", "github_pat_", r"\w{30,}", "22 and 59"),
    (
        "gitlab-token",
        "gl",
        r"(?:pat|dt|ptt|rt|soat|cbt|ft|ffct|oas|imt|agent|wt)-[\w-]{20,}(?:\.[\w-]{1,12}){0,2}",
        "20, or 27 with a routing part",
    ),
    ("gitlab-token", "GR1348941", r"[\w-]{20}", "20, of a runner"),
    ("bitbucket-token", "ATBB", r"[A-Za-z0-9]{24,}", "32"),
    ("atlassian-token", "ATATT3", r"[\w=-]{30,}", "186"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{30,}", "36"),
    ("pypi-token", "pypi-", r"[\w-]{40,}", "a macaroon in base64"),
    ("rubygems-key", "rubygems_", r"[a-f0-9]{40,}", "48 hex digits"),
    ("cargo-token", "cio", rf"[A-Za-z0-9]{{32}}{_END}", "32"),
    ("nuget-key", "oy2", rf"[a-z0-9]{{43}}{_END}", "43"),
    ("clojars-token", "CLOJARS_", r"[A-Za-z0-9]{60}", "60"),
    ("docker-token", "dckr_", r"[po]at_[\w-]{20,}", "27"),
    ("artifactory-key", "AKCp", r"[A-Za-z0-9]{60,}", "69"),
    ("artifactory-key", "cmVmd", rf"[A-Za-z0-9]{{59}}{_END}", "reftkn in base64: 59"),
    ("circleci-token", "CCIPAT_", r"[A-Za-z0-9]{10,}_[a-f0-9]{40}", "22 and 40 hex"),
    ("buildkite-token", "bkua_", r"[a-f0-9]{40}", "40 hex digits"),
    ("sonar-token", "sq", r"[upa]_[a-f0-9]{40}", "40 hex digits"),
    ("sourcegraph-token", "sgp_", r"(?:[A-Za-z0-9]{1,20}_)?[a-f0-9]{40}", "40 hex digits"),
    ("postman-key", "PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}", "24 and 34 hex"),
    ("readme-key", "rdme_", r"[a-z0-9]{60,}", "70"),
    # -- data and watching
    ("databricks-token", "dapi", r"[a-f0-9]{32}(?:-\d)?", "32 hex digits"),
    ("supabase-token", "sbp_", r"(?:v\d_)?[a-f0-9]{40}", "40 hex digits"),
    ("supabase-token", "sb_secret_", r"[\w-]{20,}", "31"),
    ("neon-key", "napi_", r"[a-z0-9]{40,}", "64"),
    ("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[\w=.-]{32,}", "43"),
    ("clickhouse-key", "4b1d", rf"[A-Za-z0-9]{{38}}{_END}", "38"),
    ("sentry-token", "sntry", r"[su]_[\w+/=-]{30,}", "64 hex, or base64"),
    ("grafana-token", "glsa_", r"\w{30,}", "32 and 8"),
    ("grafana-token", "glc_", r"eyJ[A-Za-z0-9+/=]{30,}", "JSON in base64"),
    ("dynatrace-token", "dt0", r"[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "24 and 64"),
    ("newrelic-key", "NR", r"(?:AK|AA|II|IQ|JS|RA)-[\w-]{19,}", "27 for a user key"),
    ("newrelic-key", "eu01xx", r"[a-f0-9]{28,32}NRAL", "40 in all"),
    ("posthog-key", "phx_", r"[A-Za-z0-9_-]{40,}", "43"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}", "14 and 64 hex"),
    ("contentful-token", "CFPAT-", r"[\w-]{40,}", "43"),
    ("notion-token", "ntn_", r"[A-Za-z0-9]{30,}", "46"),
    ("notion-token", "secret_", rf"[A-Za-z0-9]{{43}}{_END}", "43"),
    ("mapbox-token", "sk.eyJ", r"[\w-]{20,}\.[\w-]{20,}", "a web token without a head"),
    # -- shops, money, posts
    ("stripe-key", "sk_", r"(?:live|test|prod)_[A-Za-z0-9]{16,}", "24 or 99"),
    ("stripe-key", "rk_", r"(?:live|test|prod)_[A-Za-z0-9]{16,}", "24 or 99"),
    ("stripe-key", "whsec_", r"[A-Za-z0-9+/]{24,}={0,2}", "32"),
    ("square-token", "sq0", r"(?:atp|csp|idp)-[\w-]{22,}", "22 or 43"),
    ("square-token", "EAAA", r"[\w-]{55,64}(?![\w-])", "60"),
    ("shopify-token", "shp", r"(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "32 hex digits"),
    ("shippo-token", "shippo_", r"(?:live|test)_[a-f0-9]{40}", "40 hex digits"),
    ("flutterwave-key", "FLWSECK", r"(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?", "32 hex, then X"),
    ("gocardless-token", "live_", rf"[\w-]{{40}}{_END}", "40"),
    ("duffel-token", "duffel_", r"(?:live|test)_[\w-]{43}", "43"),
    ("easypost-key", "EZ", r"[AT]K[A-Za-z0-9]{54}", "54"),
    ("plaid-token", "access-", rf"(?:sandbox|development|production)-{_UUID}", "a UUID"),
    ("sendgrid-key", "SG.", r"[\w-]{20,}\.[\w-]{16,}", "22 and 43"),
    ("brevo-key", "xkeysib-", r"[a-f0-9]{64}-[A-Za-z0-9]{16}", "64 hex and 16"),
    ("mailgun-key", "key-", rf"[a-f0-9]{{32}}{_END}", "32 hex digits"),
    ("resend-key", "re_", r"[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}", "8 and 24"),
    ("twilio-key", "SK", rf"[a-f0-9]{{32}}{_END}", "32 hex digits"),
    # -- talk and work
    ("slack-token", "xox", r"[abdeoprsc]-[\w-]{16,}", "numbers, then 24"),
    ("slack-token", "xapp-", r"[\w-]{20,}", "of an app"),
    ("facebook-token", "EAA", r"[A-Za-z0-9]{80,}", "100 and more"),
    ("figma-token", "fig", r"[dou]r?_[\w-]{36,}", "40"),
    ("linear-key", "lin_", r"(?:api|oauth)_[A-Za-z0-9]{30,}", "40"),
    ("hubspot-token", "pat-", rf"(?:na|eu|ap)\d-{_UUID}", "a UUID"),
    ("typeform-token", "tfp_", r"[\w.=-]{40,}", "59"),
    ("dropbox-token", "sl.", r"(?:u\.)?[\w-]{100,}", "130 and more"),
    ("frameio-token", "fio-u-", r"[\w=-]{64}", "64"),
    ("adobe-secret", "p8e-", r"[A-Za-z0-9]{32}", "32"),
    ("intra42-secret", "s-s4t2", r"(?:ud|af)-[a-f0-9]{64}", "64 hex digits"),
    ("settlemint-token", "sm_", r"[aps]at_[A-Za-z0-9]{16,}", "16"),
    (
        "authress-key",
        "sc_",
        r"[A-Za-z0-9]{4,40}\.[A-Za-z0-9]{3,8}\.acc[\w-]{8,40}\.[\w+/=-]{24,}",
        "five parts",
    ),
    ("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}", "58 of bech32"),
    ("1password-key", "A3-", r"[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}", "34 in six groups"),
    ("1password-token", "ops_eyJ", r"[A-Za-z0-9+/]{100,}={0,3}", "JSON in base64"),
    ("discord-token", "", r"[MNO][DTjz][\w-]{20,27}\.[\w-]{6}\.[\w-]{27,40}", "a number in base64"),
)

# Those that have signs in them which end a run of token characters: kind, the sign before the rest,
# a mark, how far before the rest it is, how many characters come before the mark, the whole.
_MARKED: tuple[tuple[str, str, str, int, int, str, str], ...] = (
    ("azure-secret", "~.", "Q~", 36, 4, r"[\w.~]{3}[0-9]Q~[\w.~-]{28,}", "a digit, Q~, 34"),
    ("openshift-token", "~", "sha256~", 7, 0, r"sha256~[\w-]{43}", "43"),
    (
        "terraform-token",
        ".",
        ".atlasv1.",
        9,
        14,
        r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}",
        "14 and 67",
    ),
    ("google-token", "/", "1//", 3, 0, r"1//0[\w-]{40,}", "refresh token"),
    ("aws-key", "+/", "ABSK", 60, 0, r"ABSK[A-Za-z0-9+/]{100,}={0,2}", "Bedrock: base64"),
    ("fly-token", "+/", "fm2_", 60, 0, r"fm2_[\w+/=-]{60,}", "a macaroon in base64"),
    ("fly-token", "+/", "fm1", 60, 0, r"fm1[ar]_[\w+/=-]{60,}", "a macaroon in base64"),
    ("telegram-token", ":", ":AA", 1, 10, r"[0-9]{10}:AA[\w-]{33}(?![\w-])", "a number, AA, 33"),
    ("telegram-token", ":", ":AA", 1, 9, r"[0-9]{9}:AA[\w-]{33}(?![\w-])", "a number, AA, 33"),
    ("telegram-token", ":", ":AA", 1, 8, r"[0-9]{8}:AA[\w-]{33}(?![\w-])", "a number, AA, 33"),
)
# Those that are a run of known length and form: kind, length, a mark and its place, the whole.
_SIZED: tuple[tuple[str, int, str, int, str, str], ...] = (
    ("mailchimp-key", 36, "-us", 32, r"[a-f0-9]{32}-us[0-9]", "32 hex digits, a place"),
    ("mailchimp-key", 37, "-us", 32, r"[a-f0-9]{32}-us[0-9]{2}", "32 hex digits, a place"),
    ("maxmind-key", 40, "_mmk", 36, r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "6 and 29"),
    ("mailgun-key", 50, "-", 32, r"[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}", "to sign: 32, 8, 8"),
)

RULES = tuple(Rule(kind, head, f"(?a){re.escape(head)}{rest}") for kind, head, rest, _ in _TABLE)
MARKED = tuple(Marked(*row[:5], f"(?a){row[5]}") for row in _MARKED)
SIZED = tuple(Sized(*row[:4], f"(?a){row[4]}") for row in _SIZED)
