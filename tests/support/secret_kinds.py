"""Kinds of secrets as a table: the name each usually has, and how its values are made.

What the providers document (first characters, alphabet, length) is written as a form: `<A36>` is 36
letters and digits. The alphabets are in ALPHABETS.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
from typing import NamedTuple

_LETTERS = string.ascii_letters
_DIGITS = string.digits
ALPHABETS = {
    "A": _LETTERS + _DIGITS,
    "L": string.ascii_lowercase + _DIGITS,
    "U": string.ascii_uppercase + _DIGITS,
    "W": _LETTERS + _DIGITS + "_-",
    "B": _LETTERS + _DIGITS + "+/",
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "D": _DIGITS,
    "2": string.ascii_uppercase + "234567",
    "Z": "ACDEFGHJKLMNPQRSTUVWXYZ023456789",
}
_FORM = re.compile(r"<(?:([A-Z2])(\d+)|(uuid|discord|basic|words|password|web))>")


class Kind(NamedTuple):
    """A kind of secret: the name it is assigned to, the form of a value, where it is found."""

    name: str
    form: str
    is_free: bool  # found without a name

    @property
    def is_password(self) -> bool:
        """Whether a value may have any character."""
        return self.form in ("<password>", "<words>")


# -- found anywhere, by what they begin with ---------------------------------------------------

FREE = """
OP_SECRET_KEY A3-<U6>-<U11>-<U5>-<U5>-<U5>
OP_SECRET_KEY A3-<U6>-<U6>-<U5>-<U5>-<U5>-<U5>
OP_SERVICE_ACCOUNT_TOKEN ops_eyJ<A300>
ADOBE_CLIENT_SECRET p8e-<L32>
AGE_KEY AGE-SECRET-KEY-1<Z58>
AIRTABLE_TOKEN pat<A14>.<H64>
ALIBABA_ACCESS_KEY_ID LTAI<A20>
ANTHROPIC_API_KEY sk-ant-api03-<W93>AA
ANTHROPIC_ADMIN_KEY sk-ant-admin01-<W93>AA
CLAUDE_CODE_OAUTH_TOKEN sk-ant-oat01-<W93>AA
ARTIFACTORY_API_KEY AKCp<A69>
ARTIFACTORY_TOKEN cmVmd<A59>
ATLASSIAN_API_TOKEN ATATT3<W186>
BITBUCKET_APP_PASSWORD ATBB<A32>
AUTHRESS_ACCESS_KEY sc_<L20>.<L4>.acc_<L16>.<A64>
AWS_ACCESS_KEY_ID AKIA<216>
AWS_ACCESS_KEY_ID ASIA<216>
AWS_BEARER_TOKEN_BEDROCK ABSK<B128>
AZURE_CLIENT_SECRET <A3>8Q~<A34>
BREVO_API_KEY xkeysib-<H64>-<A16>
BUILDKITE_TOKEN bkua_<H40>
CARGO_REGISTRY_TOKEN cio<A32>
CIRCLECI_TOKEN CCIPAT_<A22>_<H40>
CLICKHOUSE_KEY_SECRET 4b1d<A38>
CLOJARS_TOKEN CLOJARS_<L60>
CLOUDFLARE_ORIGIN_CA_KEY v1.0-<H24>-<H146>
CONTENTFUL_TOKEN CFPAT-<W43>
DATABRICKS_TOKEN dapi<H32>
DEFINED_TOKEN dnkey-<L26>-<L52>
DIGITALOCEAN_TOKEN dop_v1_<H64>
DIGITALOCEAN_TOKEN doo_v1_<H64>
DIGITALOCEAN_REFRESH_TOKEN dor_v1_<H64>
DISCORD_TOKEN <discord>.<W6>.<W38>
DOCKER_TOKEN dckr_pat_<W27>
DOPPLER_TOKEN dp.pt.<A43>
DOPPLER_TOKEN dp.st.prd.<A43>
DROPBOX_TOKEN sl.u.<W140>
DROPBOX_TOKEN sl.<W135>
DUFFEL_TOKEN duffel_live_<W43>
DYNATRACE_TOKEN dt0c01.<U24>.<U64>
E2B_API_KEY e2b_<H40>
EASYPOST_API_KEY EZAK<A54>
EASYPOST_TEST_KEY EZTK<A54>
FACEBOOK_ACCESS_TOKEN EAAC<A120>
FIGMA_TOKEN figd_<W40>
FIREWORKS_API_KEY fw_<A24>
FLUTTERWAVE_SECRET_KEY FLWSECK_TEST-<H32>-X
FLY_ACCESS_TOKEN fo1_<W43>
FLY_API_TOKEN fm2_<B120>
FRAMEIO_TOKEN fio-u-<W64>
GITHUB_TOKEN ghp_<A36>
GITHUB_TOKEN gho_<A36>
GITHUB_TOKEN ghs_<A36>
GITHUB_TOKEN github_pat_<A22>_<A59>
GITLAB_TOKEN glpat-<W20>
GITLAB_TOKEN glpat-<W27>.01.<L9>
GITLAB_RUNNER_TOKEN GR1348941<W20>
GITLAB_RUNNER_TOKEN glrt-<W20>
GITLAB_FEED_TOKEN glft-<W20>
GITLAB_FLAGS_TOKEN glffct-<W20>
GITLAB_OAUTH_SECRET gloas-<H64>
GOCARDLESS_TOKEN live_<W40>
GOOGLE_API_KEY AIza<W35>
GOOGLE_CLIENT_SECRET GOCSPX-<W28>
GOOGLE_ACCESS_TOKEN ya29.<W120>
GOOGLE_REFRESH_TOKEN 1//0<W98>
GRAFANA_TOKEN glsa_<A32>_<H8>
GRAFANA_CLOUD_TOKEN glc_eyJ<A60>
GROQ_API_KEY gsk_<A52>
HARNESS_API_KEY pat.<W22>.<H24>.<A20>
HEROKU_API_KEY HRKU-AA<W58>
HF_TOKEN hf_<A34>
HF_ORG_TOKEN api_org_<A34>
HUBSPOT_TOKEN pat-na1-<uuid>
INFRACOST_API_KEY ico-<A32>
INTRA42_SECRET s-s4t2ud-<H64>
JINA_API_KEY jina_<H32><A28>
SESSION_JWT <web>
LANGFUSE_SECRET_KEY sk-lf-<uuid>
LANGSMITH_API_KEY lsv2_pt_<H32>_<H10>
LANGSMITH_API_KEY lsv2_sk_<H32>_<H10>
LINEAR_API_KEY lin_api_<A40>
MAILCHIMP_API_KEY <H32>-us12
MAILGUN_API_KEY key-<H32>
MAILGUN_SIGNING_KEY <H32>-<H8>-<H8>
MAPBOX_TOKEN sk.eyJ<A60>.<W22>
MAXMIND_LICENSE_KEY <A6>_<A29>_mmk
NEON_API_KEY napi_<L64>
NETLIFY_AUTH_TOKEN nfp_<A36>
NEW_RELIC_API_KEY NRAK-<U27>
NEW_RELIC_LICENSE_KEY eu01xx<H30>NRAL
NEW_RELIC_INSERT_KEY NRII-<W32>
NOTION_TOKEN ntn_<D11><A35>
NOTION_TOKEN secret_<A43>
NPM_TOKEN npm_<A36>
NUGET_API_KEY oy2<L43>
NVIDIA_API_KEY nvapi-<W64>
OCTOPUS_API_KEY API-<U26>
OPENAI_API_KEY sk-<A20>T3BlbkFJ<A20>
OPENAI_API_KEY sk-proj-<W74>T3BlbkFJ<W74>
OPENROUTER_API_KEY sk-or-v1-<H64>
OPENSHIFT_TOKEN sha256~<W43>
PERPLEXITY_API_KEY pplx-<A48>
PINECONE_API_KEY pcsk_<A5>_<A63>
PLAID_ACCESS_TOKEN access-sandbox-<uuid>
PLANETSCALE_TOKEN pscale_tkn_<W43>
PLANETSCALE_PASSWORD pscale_pw_<W43>
PLANETSCALE_OAUTH pscale_oauth_<W43>
POSTHOG_API_KEY phx_<A43>
POSTMAN_API_KEY PMAK-<H24>-<H34>
PREFECT_API_KEY pnu_<L36>
PULUMI_ACCESS_TOKEN pul-<H40>
PYPI_TOKEN pypi-AgEIcHlwaS5vcmc<W120>
README_API_KEY rdme_<L70>
RENDER_API_KEY rnd_<A28>
REPLICATE_API_TOKEN r8_<A37>
RESEND_API_KEY re_<A8>_<A24>
RUBYGEMS_API_KEY rubygems_<H48>
SCALINGO_TOKEN tk-us-<W48>
SENDGRID_API_KEY SG.<W22>.<W43>
SENTRY_AUTH_TOKEN sntryu_<H64>
SETTLEMINT_TOKEN sm_pat_<A16>
SHIPPO_TOKEN shippo_live_<H40>
SHOPIFY_TOKEN shpat_<H32>
SLACK_TOKEN xoxb-<D12>-<D12>-<A24>
SLACK_TOKEN xoxe.xoxp-1-<A60>
SLACK_APP_TOKEN xapp-1-<U11>-<D13>-<H64>
SONAR_TOKEN squ_<H40>
SOURCEGRAPH_TOKEN sgp_<H40>
SQUARE_TOKEN sq0atp-<W22>
SQUARE_SECRET sq0csp-<W43>
SQUARE_ACCESS_TOKEN EAAA<W60>
STRIPE_SECRET_KEY sk_live_<A24>
STRIPE_SECRET_KEY rk_test_<A99>
STRIPE_WEBHOOK_SECRET whsec_<A32>
SUPABASE_TOKEN sbp_<H40>
SUPABASE_SECRET_KEY sb_secret_<W31>
TAILSCALE_KEY tskey-auth-<A12>-<A32>
TAVILY_API_KEY tvly-dev-<A32>
TELEGRAM_BOT_TOKEN <D10>:AA<W33>
TERRAFORM_TOKEN <A14>.atlasv1.<W67>
TOGETHER_API_KEY tgp_v1_<W43>
TWILIO_API_KEY SK<H32>
TYPEFORM_TOKEN tfp_<W59>
VAULT_TOKEN hvs.<W90>
VAULT_BATCH_TOKEN hvb.<W138>
WANDB_API_KEY wandb_v1_<A77>
XAI_API_KEY xai-<A80>
YANDEX_API_KEY AQVN<W36>
"""

# -- found by their name only ------------------------------------------------------------------

NAMED = """
ADAFRUIT_IO_KEY <L32>
AIRTABLE_API_KEY key<A14>
ALGOLIA_ADMIN_KEY <H32>
ALIBABA_SECRET_KEY <A30>
ASANA_CLIENT_SECRET <L32>
AWS_SECRET_ACCESS_KEY <B40>
AWS_SESSION_TOKEN <B300>
AZURE_STORAGE_ACCOUNT_KEY <B86>==
AZURE_OPENAI_API_KEY <H32>
BITBUCKET_CLIENT_SECRET <W64>
BITTREX_SECRET_KEY <L32>
CLOUDFLARE_API_TOKEN <W40>
CLOUDFLARE_GLOBAL_API_KEY <H37>
CODECOV_TOKEN <uuid>
COHERE_API_KEY <A40>
COINBASE_ACCESS_TOKEN <W64>
CONFLUENT_SECRET_KEY <L64>
CONTENTFUL_DELIVERY_TOKEN <W43>
DATADOG_API_KEY <H32>
DD_APP_KEY <H40>
DISCORD_CLIENT_SECRET <W32>
DRONE_TOKEN <L32>
DROPBOX_APP_SECRET <L15>
ETSY_API_KEY <L24>
FACEBOOK_APP_SECRET <H32>
FASTLY_API_TOKEN <W32>
FINICITY_CLIENT_SECRET <L20>
FINNHUB_API_KEY <L20>
FLICKR_ACCESS_TOKEN <L32>
FRESHBOOKS_ACCESS_TOKEN <L64>
GITTER_ACCESS_TOKEN <W40>
HEROKU_API_KEY <uuid>
INTERCOM_API_KEY <W60>
JFROG_IDENTITY_TOKEN <L64>
KRAKEN_ACCESS_TOKEN <B86>
KUCOIN_SECRET_KEY <uuid>
LAUNCHDARKLY_ACCESS_TOKEN <W40>
LINKEDIN_CLIENT_SECRET <A16>
LOB_API_KEY live_<H35>
LOOKER_CLIENT_SECRET <A24>
MATTERMOST_ACCESS_TOKEN <L26>
MERAKI_API_KEY <H40>
MESSAGEBIRD_API_TOKEN <L25>
MISTRAL_API_KEY <A32>
NYTIMES_API_KEY <A32>
OKTA_API_TOKEN 00<W40>
PLAID_SECRET <L30>
PRIVATEAI_API_KEY <L32>
RAPIDAPI_KEY <A50>
SENDBIRD_ACCESS_TOKEN <H40>
SNYK_TOKEN <uuid>
SQUARESPACE_ACCESS_TOKEN <uuid>
SUMOLOGIC_ACCESS_KEY <A64>
TRAVIS_ACCESS_TOKEN <A22>
TWILIO_AUTH_TOKEN <H32>
TWITCH_CLIENT_SECRET <L30>
TWITTER_ACCESS_SECRET <A45>
TWITTER_BEARER_TOKEN AAAAAAAAAAAAAAAAAAAAA<A80>
VERCEL_TOKEN <A24>
YANDEX_ACCESS_TOKEN t1.<A40>.<A86>
ZENDESK_SECRET_KEY <L40>
SECRET_KEY_BASE <H128>
DJANGO_SECRET_KEY <A50>
RAILS_MASTER_KEY <H32>
APP_KEY base64:<B43>=
APP_SECRET <H32>
JWT_SECRET <B44>
NEXTAUTH_SECRET <B43>=
SESSION_SECRET <A32>
COOKIE_SECRET <A32>
ENCRYPTION_KEY <H64>
SIGNING_SECRET <H32>
PRIVATE_KEY 0x<H64>
WEBHOOK_SECRET <A32>
CLIENT_SECRET <A40>
client-key-data LS0tLS1CRUdJTiBS<B400>
refresh_token <A60>
access_token <A60>
id_token <A60>
api_key <A32>
apiKey <A32>
apikey <A32>
secret <A24>
authToken <A32>
auth_token <A32>
_authToken <A40>
SharedAccessKey <B43>=
AccountKey <B86>==
credentials <A40>
password <password>
DB_PASSWORD <password>
dbPassword <password>
passwd <password>
pass <password>
user_pass <password>
SMTP_PASS <password>
PGPASSWORD <password>
MYSQL_PWD <password>
redis-password <password>
spring.datasource.password <password>
passphrase <password>
POSTGRES_PASSWORD <words>
adminPassword <words>
pwd <words>
"""


def all_kinds() -> list[Kind]:
    """Return every kind of the tables."""
    free = [Kind(*line.split(), is_free=True) for line in FREE.split("\n") if line]
    named = [Kind(*line.split(), is_free=False) for line in NAMED.split("\n") if line]
    return free + named


# -- values ------------------------------------------------------------------------------------

_WEB_HEAD = '{"alg":"HS256","typ":"JWT"}'
_WORDS = ("Your", "Dog", "Fake", "Summer", "Sample", "Example", "Test", "Horse", "River", "Null")


def make_value(kind: Kind, rng: random.Random, signs: str) -> str:
    """Make a value of a kind; `signs` are what a password may have beside letters and digits."""

    def part(match: re.Match[str]) -> str:
        if match[1]:
            return "".join(rng.choices(ALPHABETS[match[1]], k=int(match[2])))
        return _SPECIAL[match[3]](rng, signs)

    return _FORM.sub(part, kind.form)


def _uuid(rng: random.Random, signs: str) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _discord(rng: random.Random, signs: str) -> str:
    number = "1" + "".join(rng.choices(_DIGITS, k=18))
    return base64.b64encode(number.encode()).decode().rstrip("=")


def _basic(rng: random.Random, signs: str) -> str:
    return base64.b64encode(f"bob:{_password(rng, '')}".encode()).decode()


def _password(rng: random.Random, signs: str) -> str:
    size = rng.randint(9, 22)
    middle = rng.choices(ALPHABETS["A"] + signs, k=size)
    return rng.choice(_LETTERS) + "".join(middle) + rng.choice(_DIGITS) + rng.choice(_LETTERS)


def _words(rng: random.Random, signs: str) -> str:
    end = rng.choice(signs) if signs else ""
    return "".join(rng.sample(_WORDS, 2)) + str(rng.randint(1000, 9999)) + end


def _web(rng: random.Random, signs: str) -> str:
    def some(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    name = "".join(rng.choices(_LETTERS, k=12))
    sign = "".join(rng.choices(ALPHABETS["W"], k=43))
    return f"{some(_WEB_HEAD)}.{some(json.dumps({'sub': name}))}.{sign}"


_SPECIAL = {
    "uuid": _uuid,
    "discord": _discord,
    "basic": _basic,
    "password": _password,
    "words": _words,
    "web": _web,
}
