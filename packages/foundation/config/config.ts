import { COUNTRY } from '#packages/egress/next-hop.ts'
import { ways } from '#packages/platforms/platform-definition.ts'
import { platforms, type SocialPlatform } from '#packages/platforms/registry.ts'
import { contradictions } from './contradictions.ts'
import { dashboardProblems } from './dashboard-rules.ts'
import { type Environment, givenText } from './given-text.ts'
import { telemetryVariables } from './telemetry-variables.ts'
import {
  ConfigError,
  matching,
  number,
  oneOf,
  optional,
  optionalBaseUrl,
  optionalCountry,
  optionalNumber,
  optionalOneOf,
  optionalOrigins,
  optionalProxy,
  optionalServers,
  optionalSmtpUrl,
  optionalUrl,
  secret,
  text,
  type Values,
  type Variable,
} from './variable.ts'

const hour = 3600

const aHeader = { pattern: /^[\w!#$%&'*+.^`|~-]+$/, wanted: 'the name of a header, such as X-Real-IP' }
const aTopic = { pattern: /^[\w.-]{1,100}$/, wanted: 'letters, digits, dots, underscores and hyphens, at most 100' }
const anAddress = { pattern: /^[^\s@]+@[^\s@]+$/, wanted: 'an e-mail address' }
const aSender = {
  pattern: /^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
  wanted: 'Name <name@example.com>, or an address',
}
const aPage = { pattern: /^https?:\/\/[^\s/]+\S*$/, wanted: 'an http(s) URL' }
const anEventStore = { pattern: /^esdb(?:\+discover)?:\/\/\S+$/, wanted: 'esdb://user:password@host:2113' }
const aMongo = { pattern: /^mongodb(?:\+srv)?:\/\/\S+$/, wanted: 'mongodb://user:password@host,host/database' }

/** The name in `Config` of a platform's own variable. */
type OfPlatform<Prefix extends string> = `${Prefix}${Capitalize<SocialPlatform>}`

const ofPlatform =
  <Prefix extends string>(prefix: Prefix) =>
  (name: SocialPlatform): OfPlatform<Prefix> =>
    `${prefix}${name.replace(/^./, (first) => first.toUpperCase()) as Capitalize<SocialPlatform>}`

/** The name in `Config` of the variable for a platform's own next hop. */
export const platformProxy = ofPlatform('egressProxy')
/** The name in `Config` of the variable for the country of that hop. */
export const platformCountry = ofPlatform('egressCountry')
/** The name in `Config` of the variable for the pace of a platform's reads. */
export const platformPace = ofPlatform('pace')

const platformProxies = Object.fromEntries(
  platforms.map(({ name, label }) => [
    platformProxy(name),
    secret(
      optionalProxy(`EGRESS_PROXY_${name.toUpperCase()}`, `proxy for requests to ${label}, instead of EGRESS_PROXY`),
    ),
  ]),
) as Record<OfPlatform<'egressProxy'>, Variable<string | undefined>>

const platformCountries = Object.fromEntries(
  platforms.map(({ name, label }) => [
    platformCountry(name),
    optionalCountry(`EGRESS_COUNTRY_${name.toUpperCase()}`, `country for ${label}, instead of EGRESS_COUNTRY`),
  ]),
) as Record<OfPlatform<'egressCountry'>, Variable<string | undefined>>

const platformPaces = Object.fromEntries(
  platforms.map(({ name, label, readsPerMinute }) => [
    platformPace(name),
    optionalNumber(
      `PACE_${name.toUpperCase()}`,
      `reads of ${label} per minute, for each process and exit without sessions; ` +
        `0: no limit; unset: ${readsPerMinute}, or no limit on the sandbox`,
    ),
  ]),
) as Record<OfPlatform<'pace'>, Variable<number | undefined>>

/**
 * Every variable that this service reads, with its default. No other code reads the environment. Only the tool server
 * over stdio, which is a client, has two variables of its own.
 */
export const variables = {
  port: number('PORT', 8080, 'TCP port of the HTTP API and pages; 0: any free port', { max: 65_535 }),
  host: text('HOST', '127.0.0.1', 'address to listen on'),
  publicUrl: optionalBaseUrl(
    'PUBLIC_URL',
    'public base URL of the service, such as `https://api.example.com`, for links in errors and mails; unset: its own address, if that is loopback',
  ),
  clientAddressHeader: matching(
    'CLIENT_ADDRESS_HEADER',
    aHeader,
    undefined,
    "header that your proxy sets to the caller's address, overwriting what the caller sent; unset: callers connect directly",
  ),
  maxConnectionsPerAddress: number(
    'MAX_CONNECTIONS_PER_ADDRESS',
    2000,
    'most open connections from one remote address, out of 10,000 in total',
    { min: 1, max: 10_000 },
  ),
  dataDir: text('DATA_DIR', './data', 'directory for the files of the embedded mode'),
  secretsKey: secret(
    optional(
      'SECRETS_KEY',
      'key that encrypts stored secrets: 64 hexadecimal digits, the same for every process; unset: `secrets.key` in DATA_DIR, created at the first start',
    ),
  ),
  exportDir: optional(
    'EXPORT_DIR',
    'folder of the history archive: `history export` writes to it, and other commands read removed events from it',
  ),
  servicePort: number('SERVICE_PORT', 8081, 'TCP port for `/health` and `/ready` of services beside the ingress', {
    max: 65_535,
  }),
  eventStoreUrl: secret(
    matching(
      'EVENT_STORE_URL',
      anEventStore,
      undefined,
      'EventStoreDB or KurrentDB that stores the events: `esdb://user:password@host:2113`',
    ),
  ),
  mongodbUrl: secret(
    matching('MONGODB_URL', aMongo, undefined, 'MongoDB for the views: `mongodb://user:password@host,host/database`'),
  ),
  retentionDays: optionalNumber(
    'RETENTION_DAYS',
    'days after its end at which an archived job is removed from the event store; unset: never',
    { min: 1, max: 36_500 },
  ),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info', 'lowest level of log lines'),

  kafkaBrokers: optionalServers('KAFKA_BROKERS', 'Kafka brokers that carry the tasks: host:port, separated by commas'),
  kafkaPartitions: number('KAFKA_PARTITIONS', 8, 'partitions of each topic, which is the most consumers of a step', {
    min: 1,
    max: 1000,
  }),
  kafkaReplication: number('KAFKA_REPLICATION', 0, 'replicas of each partition; 0: three, or one per broker if fewer', {
    max: 9,
  }),
  kafkaSsl: oneOf('KAFKA_SSL', ['true', 'false'], 'false', 'whether to connect to the brokers by TLS'),
  kafkaUsername: optional('KAFKA_USERNAME', 'user name for the brokers (SASL)'),
  kafkaPassword: secret(optional('KAFKA_PASSWORD', 'password for the brokers (SASL)')),
  kafkaSaslMechanism: oneOf(
    'KAFKA_SASL_MECHANISM',
    ['plain', 'scram-sha-256', 'scram-sha-512'],
    'plain',
    'SASL mechanism for KAFKA_USERNAME and KAFKA_PASSWORD',
  ),
  kafkaPrefix: matching('KAFKA_PREFIX', aTopic, 'video', 'prefix of the names of topics and consumer groups'),

  mcpAnswerSeconds: number('MCP_ANSWER_SECONDS', 45, 'seconds within which every tool call is answered', {
    min: 1,
    max: 300,
  }),

  mcpAllowedOrigins: optionalOrigins(
    'MCP_ALLOWED_ORIGINS',
    "origins that may call `/mcp` beside this machine's: `https://host`, separated by commas",
  ),

  corsOrigins: optionalOrigins(
    'CORS_ORIGINS',
    'origins of web pages that may call `/v1`: `https://host`, separated by commas; unset: none',
  ),

  webhooksAllowHttp: oneOf(
    'WEBHOOKS_ALLOW_HTTP',
    ['0', '1'],
    '0',
    'whether webhooks may have `http://` URLs; on the sandbox they always may',
  ),

  dashboard: oneOf('DASHBOARD', ['on', 'off'], 'on', 'whether to serve `/dashboard` and the front page at `/`'),
  signUp: optionalOneOf(
    'SIGNUP',
    ['open', 'invited', 'closed'],
    'who may create an organization in the dashboard: anyone, people invited by an operator, or no one; unset: open if HOST is loopback, else invited',
  ),
  signUpsPerDay: number(
    'SIGNUPS_PER_DAY',
    50,
    'most organizations that get their first credits in a day (UTC), if anyone may sign up from outside',
    { min: 1 },
  ),
  smtpUrl: secret(
    optionalSmtpUrl('SMTP_URL', "mail server for the dashboard's mails: `smtp://user:password@host:587`"),
  ),
  mailFrom: matching(
    'MAIL_FROM',
    aSender,
    undefined,
    'sender of these mails, required with SMTP_URL: `Video Intelligence <video@example.com>`',
  ),
  oidcIssuer: optionalUrl('OIDC_ISSUER', 'URL of the OpenID provider for single sign-on'),
  oidcClientId: optional('OIDC_CLIENT_ID', 'client id of this service at the OpenID provider'),
  oidcClientSecret: secret(optional('OIDC_CLIENT_SECRET', 'client secret of this service at the OpenID provider')),
  oidcName: text('OIDC_NAME', 'single sign-on', 'name of the provider on its button: `Continue with …`'),
  upgradeUrl: optionalUrl('UPGRADE_URL', 'page where customers buy a larger plan; the plans page links to it'),
  operatorEmail: matching(
    'OPERATOR_EMAIL',
    anAddress,
    undefined,
    'your e-mail address: requests for a larger plan go there if UPGRADE_URL is not set',
  ),
  termsUrl: optionalUrl('TERMS_URL', 'your terms: linked on the front page, at sign-up and in the docs'),
  privacyUrl: optionalUrl('PRIVACY_URL', 'your privacy notice: linked in the same places'),
  statusUrl: optionalUrl('STATUS_URL', 'your status page: linked in the same places'),
  exampleUrl: matching(
    'EXAMPLE_URL',
    aPage,
    'https://www.youtube.com/watch?v=jNQXAC9IVRw',
    'video with captions in the first call shown to a newcomer and in the examples of the documentation',
  ),

  jobWindowSeconds: number('JOB_WINDOW_SECONDS', 180, 'seconds from the acceptance of a job to its timeout', {
    min: 1,
    max: hour,
  }),
  leaseSeconds: number('LEASE_SECONDS', 30, 'seconds until a claim that is not extended is taken over', {
    min: 3,
    max: 600,
  }),
  fetchSlots: number('FETCH_SLOTS', 16, 'fetch steps at once, half for one organization', { min: 1, max: 256 }),
  captionSlots: number('CAPTION_SLOTS', 8, 'caption steps at once, half for one organization', { min: 1, max: 256 }),
  speechSlots: number('SPEECH_SLOTS', 4, 'speech-to-text steps at once, half for one organization', {
    min: 1,
    max: 64,
  }),
  extractSlots: number('EXTRACT_SLOTS', 8, 'extract steps at once, half for one organization', { min: 1, max: 256 }),

  egressProxy: secret(
    optionalProxy(
      'EGRESS_PROXY',
      'proxy for all requests to the outside, http://, socks5:// or socks5h://[user:pass@]host:port; ' +
        '`{session}` is replaced by a new value for each job, `{country}` by EGRESS_COUNTRY',
    ),
  ),
  ...platformProxies,
  egressCountry: optionalCountry('EGRESS_COUNTRY', 'replaces `{country}` in the proxy URLs: two letters'),
  ...platformCountries,
  ...platformPaces,
  egressCaFile: optional('EGRESS_CA_FILE', 'PEM file of additional authorities, for requests to the outside only'),
  platformCookiesDir: optional('PLATFORM_COOKIES_DIR', 'folder of cookie files: `youtube.txt`, `tiktok.txt` …'),
  youtubePotUrl: optionalUrl('YOUTUBE_POT_URL', 'bgutil service that makes proof tokens for YouTube'),
  youtubeFirst: oneOf(
    'YOUTUBE_FIRST',
    ways,
    'yt-dlp',
    "the way that is tried first for YouTube's metadata and captions; `innertube`: YouTube's own API, without Python",
  ),
  ytdlpChannel: oneOf(
    'YTDLP_CHANNEL',
    ['pinned', 'stable', 'nightly'],
    'pinned',
    'the yt-dlp that `npm run ytdlp` installs: that of this release, the newest release that is a day old, or the newest build',
  ),
  ytdlpWorkers: number('YTDLP_WORKERS', 3, 'yt-dlp workers, about 70 MB each while they work', { min: 1, max: 64 }),
  braveApiKey: secret(optional('BRAVE_API_KEY', 'Brave Search API, to search TikTok, Instagram, X and Facebook')),
  searxngUrl: optionalUrl('SEARXNG_URL', 'URL of your own SearXNG, for the same searches; reached directly'),
  metadataCacheSeconds: number('METADATA_CACHE_SECONDS', 600, 'seconds for which the details of a video are cached'),
  searchCacheSeconds: number('SEARCH_CACHE_SECONDS', 300, 'seconds for which the results of a search are cached'),
  profileCacheSeconds: number('PROFILE_CACHE_SECONDS', 300, 'seconds for which a profile is cached'),

  mediaMaxBytes: number('MEDIA_MAX_BYTES', 1_000_000_000, 'largest media file to download, bytes', { min: 1 }),
  mediaMaxSeconds: number('MEDIA_MAX_SECONDS', 2 * hour, 'longest media to download, seconds', { min: 1 }),
  mediaCacheBytes: number(
    'MEDIA_CACHE_BYTES',
    10_000_000_000,
    'largest size of the media cache, bytes, including downloads under way',
    { min: 1 },
  ),
  mediaCacheSeconds: number('MEDIA_CACHE_SECONDS', 24 * hour, 'seconds after which cached media is removed', {
    min: 1,
  }),

  speechEngine: optional(
    'SPEECH_ENGINE',
    '`endpoint`, `whisper` or `pocketsphinx`; unset: the first of them that can start',
  ),
  speechBaseUrl: optionalUrl('SPEECH_BASE_URL', 'base URL of an OpenAI-compatible speech endpoint'),
  speechModel: text('SPEECH_MODEL', 'whisper-1', 'model at the speech endpoint'),
  speechApiKey: secret(optional('SPEECH_API_KEY', 'API key of the speech endpoint')),
  speechRequests: number(
    'SPEECH_REQUESTS',
    16,
    'most requests of one process to the speech endpoint at once; one organization may use half',
    { min: 1, max: 256 },
  ),
  speechMinutesPerDay: optionalNumber(
    'SPEECH_MINUTES_PER_DAY',
    'daily cap (UTC) on transcribed minutes of sound; beyond it, jobs that may need more are refused (503); unset: no cap',
    { min: 1 },
  ),
  whisperModel: optional(
    'WHISPER_MODEL',
    'model of Whisper: a name in `.models/whisper`, or the absolute path of a folder; unset: the one that ops/setup downloaded last',
  ),
  whisperWorkers: optionalNumber('WHISPER_WORKERS', 'workers of Whisper; unset: one for each core, at least two', {
    min: 1,
    max: 256,
  }),
  pocketsphinxWorkers: number('POCKETSPHINX_WORKERS', 2, 'workers of pocketsphinx', { min: 1, max: 64 }),

  llmBaseUrl: optionalUrl('LLM_BASE_URL', 'OpenAI-compatible chat endpoint; unset: extractions are refused'),
  llmModel: text('LLM_MODEL', 'gpt-4.1-mini', 'model at the chat endpoint'),
  llmApiKey: secret(optional('LLM_API_KEY', 'API key of the chat endpoint')),
  llmContextTokens: number('LLM_CONTEXT_TOKENS', 100_000, 'most tokens sent to the model at once', { min: 1000 }),
  llmMaxFrames: number('LLM_MAX_FRAMES', 24, 'most pictures sent of a video; 0: the model has no vision', { max: 100 }),
  llmTokensPerDay: optionalNumber(
    'LLM_TOKENS_PER_DAY',
    'daily cap (UTC) on tokens to and from the model; beyond it, extractions are refused (503); unset: no cap',
    { min: 1 },
  ),

  capSharePerOrganization: optionalNumber(
    'CAP_SHARE_PER_ORGANIZATION',
    'fraction of each daily cap that one organization may use, at most 1; unset: half if others used it lately, else all',
    { min: 0.001, max: 1, integer: false },
  ),

  lightRequestsPerMinute: number('RATE_LIGHT_PER_MINUTE', 120, 'light requests per organization and minute', {
    min: 1,
  }),
  pollsPerMinute: number('RATE_POLLS_PER_MINUTE', 600, 'polls per organization and minute', { min: 1 }),
  heavyRequestsFactor: number('RATE_HEAVY_FACTOR', 1, "factor on the plans' heavy requests", { min: 1 }),

  batchMaxItems: number('BATCH_MAX_ITEMS', 2000, 'most items in a batch on the plan Pro', { min: 2000, max: 5000 }),

  ...telemetryVariables,
} as const

export type Config = Values<typeof variables>

/** The paces as variables: those set in the environment, and no limit for all other platforms. */
export const unpaced = (environment: Environment = {}): Record<string, string> => {
  const names = platforms.map(({ name }) => variables[platformPace(name)].variable)
  return Object.fromEntries(names.map((name) => [name, environment[name] || '0']))
}

/**
 * Reads the configuration from an environment. An empty variable counts as unset; a secret may be in a file
 * (`NAME_FILE`).
 * @throws ConfigError names every invalid variable, or else those that contradict each other
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const entries = Object.entries(variables).map(([name, variable]) => {
    try {
      const given = givenText(variable, environment)
      return [name, given === undefined ? variable.fallback : variable.parse(given)]
    } catch (error) {
      problems.push((error as Error).message)
      return [name, variable.fallback]
    }
  })
  if (problems.length > 0) throw new ConfigError(problems.join('; '))
  const config = withinWindow(Object.fromEntries(entries) as Config, environment)
  const broken = [...dashboardProblems(config), ...contradictions(config), ...countryProblems(config)]
  if (broken.length > 0) throw new ConfigError(broken.join('; '))
  return config
}

/** Shortens a default lease that would be longer than the window. */
const withinWindow = (config: Config, environment: Environment): Config =>
  givenText(variables.leaseSeconds, environment) === undefined
    ? { ...config, leaseSeconds: Math.min(config.leaseSeconds, config.jobWindowSeconds) }
    : config

const countryProblems = (config: Config): string[] => {
  const lacks = (proxy: string | undefined, country: string | undefined): boolean =>
    proxy?.includes(COUNTRY) === true && country === undefined
  const { egressProxy: shared, egressCountry } = config
  const lacking = platforms.filter(({ name }) =>
    lacks(config[platformProxy(name)], config[platformCountry(name)] ?? egressCountry),
  )
  return [
    ...(lacks(shared, egressCountry) ? ['EGRESS_PROXY has {country}: EGRESS_COUNTRY says which'] : []),
    ...lacking.map(({ name }) => `EGRESS_PROXY_${name.toUpperCase()} has {country}: EGRESS_COUNTRY says which`),
  ]
}
