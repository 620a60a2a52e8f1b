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
import { webhookVariables } from './webhook-variables.ts'

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
      optionalProxy(`EGRESS_PROXY_${name.toUpperCase()}`, `next hop of requests to ${label}, in place of EGRESS_PROXY`),
    ),
  ]),
) as Record<OfPlatform<'egressProxy'>, Variable<string | undefined>>

const platformCountries = Object.fromEntries(
  platforms.map(({ name, label }) => [
    platformCountry(name),
    optionalCountry(`EGRESS_COUNTRY_${name.toUpperCase()}`, `country for ${label}, in place of EGRESS_COUNTRY`),
  ]),
) as Record<OfPlatform<'egressCountry'>, Variable<string | undefined>>

const platformPaces = Object.fromEntries(
  platforms.map(({ name, label, readsPerMinute }) => [
    platformPace(name),
    optionalNumber(
      `PACE_${name.toUpperCase()}`,
      `reads of ${label} in a minute, per process and exit without sessions; ` +
        `0: no limit; unset: ${readsPerMinute}, toward the sandbox none`,
    ),
  ]),
) as Record<OfPlatform<'pace'>, Variable<number | undefined>>

/**
 * Every variable that this service reads, with its default. No other code reads the environment. Only the tool server
 * over stdio, which is a client, has two variables of its own.
 */
export const variables = {
  port: number('PORT', 8080, 'TCP port of the HTTP surface; 0 takes a free one', { max: 65_535 }),
  host: text('HOST', '127.0.0.1', 'address to listen on'),
  publicUrl: optionalBaseUrl(
    'PUBLIC_URL',
    'where callers reach the service, `https://api.example.com`: errors lead to its documentation; unset: only where it listens on loopback',
  ),
  clientAddressHeader: matching(
    'CLIENT_ADDRESS_HEADER',
    aHeader,
    undefined,
    "header in which your proxy writes its caller's address, in place of what the caller sent; unset: callers connect themselves",
  ),
  maxConnectionsPerAddress: number(
    'MAX_CONNECTIONS_PER_ADDRESS',
    2000,
    'open connections of one remote address, of 10,000 in all',
    { min: 1, max: 10_000 },
  ),
  dataDir: text('DATA_DIR', './data', 'directory of the files of the embedded mode'),
  secretsKey: secret(
    optional(
      'SECRETS_KEY',
      'key that seals what is kept for later, 64 hexadecimal digits, the same for every process; unset: `secrets.key` in DATA_DIR, made at the first start',
    ),
  ),
  exportDir: optional(
    'EXPORT_DIR',
    'archive of the history: `history export` writes there, and the other commands read what the store no longer has',
  ),
  servicePort: number('SERVICE_PORT', 8081, 'TCP port of `/health` and `/ready` of services other than the ingress', {
    max: 65_535,
  }),
  eventStoreUrl: secret(
    matching(
      'EVENT_STORE_URL',
      anEventStore,
      undefined,
      'EventStoreDB or KurrentDB for the events: `esdb://user:password@host:2113`',
    ),
  ),
  mongodbUrl: secret(
    matching('MONGODB_URL', aMongo, undefined, 'MongoDB for the views: `mongodb://user:password@host,host/database`'),
  ),
  retentionDays: optionalNumber(
    'RETENTION_DAYS',
    'jobs that ended this many days ago leave the events once they are in the archive; unset: none do',
    { min: 1, max: 36_500 },
  ),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info', 'lowest level of log lines'),

  kafkaBrokers: optionalServers('KAFKA_BROKERS', 'Kafka for the tasks: host:port of some brokers, separated by commas'),
  kafkaPartitions: number('KAFKA_PARTITIONS', 8, 'partitions of each topic: the most consumers of a step at once', {
    min: 1,
    max: 1000,
  }),
  kafkaReplication: number('KAFKA_REPLICATION', 0, 'replicas of each partition; 0: three, or one per broker if fewer', {
    max: 9,
  }),
  kafkaSsl: oneOf('KAFKA_SSL', ['true', 'false'], 'false', 'whether the brokers speak TLS'),
  kafkaUsername: optional('KAFKA_USERNAME', 'user name for brokers that ask for one'),
  kafkaPassword: secret(optional('KAFKA_PASSWORD', 'likewise')),
  kafkaSaslMechanism: oneOf(
    'KAFKA_SASL_MECHANISM',
    ['plain', 'scram-sha-256', 'scram-sha-512'],
    'plain',
    'SASL mechanism for the password',
  ),
  kafkaPrefix: matching('KAFKA_PREFIX', aTopic, 'video', 'prefix of the names of topics and consumer groups'),

  mcpAnswerSeconds: number('MCP_ANSWER_SECONDS', 45, 'every call of a tool is answered within this time', {
    min: 1,
    max: 300,
  }),

  mcpAllowedOrigins: optionalOrigins(
    'MCP_ALLOWED_ORIGINS',
    'allowed origins of `/mcp` besides those of this machine: `https://host`, separated by commas',
  ),

  corsOrigins: optionalOrigins(
    'CORS_ORIGINS',
    'origins of pages that may call `/v1`: `https://host`, separated by commas; unset: none',
  ),

  ...webhookVariables,
  dashboard: oneOf('DASHBOARD', ['on', 'off'], 'on', 'whether `/dashboard` is served, and the front page at `/`'),
  signUp: optionalOneOf(
    'SIGNUP',
    ['open', 'invited', 'closed'],
    'who may make an organization in the dashboard: anybody, whom an operator invites, or nobody; unset: anybody where HOST is loopback, else invited',
  ),
  signUpsPerDay: number(
    'SIGNUPS_PER_DAY',
    50,
    'organizations that get their first credits in a day (UTC), where anybody may sign up from outside',
    { min: 1 },
  ),
  smtpUrl: secret(
    optionalSmtpUrl('SMTP_URL', 'server that sends the mails of the dashboard: `smtp://user:password@host:587`'),
  ),
  mailFrom: matching(
    'MAIL_FROM',
    aSender,
    undefined,
    'sender of these mails, which goes with it: `Video Intelligence <video@example.com>`',
  ),
  oidcIssuer: optionalUrl('OIDC_ISSUER', 'OpenID provider by which people may sign in'),
  oidcClientId: optional('OIDC_CLIENT_ID', 'what this service is called there'),
  oidcClientSecret: secret(optional('OIDC_CLIENT_SECRET', 'its secret there')),
  oidcName: text('OIDC_NAME', 'single sign-on', 'what its button is called: `Continue with …`'),
  upgradeUrl: optionalUrl('UPGRADE_URL', 'page where a larger plan is bought; the page of plans leads there'),
  operatorEmail: matching(
    'OPERATOR_EMAIL',
    anAddress,
    undefined,
    'address that is asked for a larger plan, where there is no such page',
  ),
  termsUrl: optionalUrl('TERMS_URL', 'your terms, which the front page, sign-up and documentation link to'),
  privacyUrl: optionalUrl('PRIVACY_URL', 'likewise your privacy notice'),
  statusUrl: optionalUrl('STATUS_URL', 'likewise your status page'),
  exampleUrl: matching(
    'EXAMPLE_URL',
    aPage,
    'https://www.youtube.com/watch?v=jNQXAC9IVRw',
    'video with captions: the first call that a newcomer is shown and the examples of the documentation ask for its transcript',
  ),

  jobWindowSeconds: number('JOB_WINDOW_SECONDS', 180, 'time from acceptance to timeout of a job', {
    min: 1,
    max: hour,
  }),
  leaseSeconds: number('LEASE_SECONDS', 30, 'a claim not extended for this long is taken over', { min: 3, max: 600 }),
  fetchSlots: number('FETCH_SLOTS', 16, 'videos fetched at once, half of them for one organization', {
    min: 1,
    max: 256,
  }),
  captionSlots: number('CAPTION_SLOTS', 8, 'caption steps at once, likewise', { min: 1, max: 256 }),
  speechSlots: number('SPEECH_SLOTS', 4, 'speech-to-text steps at once, likewise', { min: 1, max: 64 }),
  extractSlots: number('EXTRACT_SLOTS', 8, 'extract steps at once, likewise', { min: 1, max: 256 }),

  egressProxy: secret(
    optionalProxy(
      'EGRESS_PROXY',
      'next hop of all requests to the outside, http://, socks5:// or socks5h://[user:pass@]host:port; ' +
        '`{session}` in it is replaced for each job, `{country}` by EGRESS_COUNTRY',
    ),
  ),
  ...platformProxies,
  egressCountry: optionalCountry('EGRESS_COUNTRY', 'what replaces `{country}` in these URLs: two letters'),
  ...platformCountries,
  ...platformPaces,
  egressCaFile: optional('EGRESS_CA_FILE', 'PEM file of authorities trusted in addition, for that hop only'),
  platformCookiesDir: optional('PLATFORM_COOKIES_DIR', 'Netscape cookie files `youtube.txt`, `tiktok.txt` …'),
  youtubePotUrl: optionalUrl('YOUTUBE_POT_URL', 'a bgutil service that makes the proof tokens YouTube asks for'),
  youtubeFirst: oneOf(
    'YOUTUBE_FIRST',
    ways,
    'yt-dlp',
    'how metadata and captions of YouTube are read first; `innertube`: its own API, without Python',
  ),
  ytdlpChannel: oneOf(
    'YTDLP_CHANNEL',
    ['pinned', 'stable', 'nightly'],
    'pinned',
    'which yt-dlp `npm run ytdlp` brings: that of this release, the newest that has been out for a day, the newest build',
  ),
  ytdlpWorkers: number('YTDLP_WORKERS', 3, 'yt-dlp workers, about 70 MB each while there is work', { min: 1, max: 64 }),
  braveApiKey: secret(
    optional('BRAVE_API_KEY', 'searches TikTok, Instagram, X and Facebook with the Brave Search API'),
  ),
  searxngUrl: optionalUrl('SEARXNG_URL', 'likewise with a SearXNG of your own, reached directly'),
  metadataCacheSeconds: number('METADATA_CACHE_SECONDS', 600, 'how long the info of a video is cached'),
  searchCacheSeconds: number('SEARCH_CACHE_SECONDS', 300, 'likewise the results of a search'),
  profileCacheSeconds: number('PROFILE_CACHE_SECONDS', 300, 'likewise a profile'),

  mediaMaxBytes: number('MEDIA_MAX_BYTES', 1_000_000_000, 'largest media file that is downloaded', { min: 1 }),
  mediaMaxSeconds: number('MEDIA_MAX_SECONDS', 2 * hour, 'longest media that is downloaded', { min: 1 }),
  mediaCacheBytes: number(
    'MEDIA_CACHE_BYTES',
    10_000_000_000,
    'size of the media cache, downloads under way included',
    { min: 1 },
  ),
  mediaCacheSeconds: number('MEDIA_CACHE_SECONDS', 24 * hour, 'age at which cached media is dropped', { min: 1 }),

  speechEngine: optional(
    'SPEECH_ENGINE',
    '`endpoint`, `whisper` or `pocketsphinx`; unset: the first of them that can start',
  ),
  speechBaseUrl: optionalUrl('SPEECH_BASE_URL', 'OpenAI-compatible speech endpoint'),
  speechModel: text('SPEECH_MODEL', 'whisper-1', 'model of that endpoint'),
  speechApiKey: secret(optional('SPEECH_API_KEY', 'key of that endpoint')),
  speechRequests: number(
    'SPEECH_REQUESTS',
    16,
    'requests to that endpoint at once by one process, half of them for one organization',
    { min: 1, max: 256 },
  ),
  speechMinutesPerDay: optionalNumber(
    'SPEECH_MINUTES_PER_DAY',
    'minutes of sound transcribed in a day (UTC) after which jobs that may need more are refused (503); unset: no cap',
    { min: 1 },
  ),
  whisperModel: optional(
    'WHISPER_MODEL',
    'model of Whisper: a name in `.models/whisper`, or the absolute path of a folder; unset: the one that ops/setup brought last',
  ),
  whisperWorkers: optionalNumber('WHISPER_WORKERS', 'workers of Whisper; unset: one for each core, at least two', {
    min: 1,
    max: 256,
  }),
  pocketsphinxWorkers: number('POCKETSPHINX_WORKERS', 2, 'workers of pocketsphinx', { min: 1, max: 64 }),

  llmBaseUrl: optionalUrl('LLM_BASE_URL', 'OpenAI-compatible chat endpoint; unset: extractions answer 503'),
  llmModel: text('LLM_MODEL', 'gpt-4.1-mini', 'model of that endpoint'),
  llmApiKey: secret(optional('LLM_API_KEY', 'key of that endpoint')),
  llmContextTokens: number('LLM_CONTEXT_TOKENS', 100_000, 'the most tokens sent to the model at once', { min: 1000 }),
  llmMaxFrames: number('LLM_MAX_FRAMES', 24, 'most pictures of a video that are sent; 0 for a model without vision', {
    max: 100,
  }),
  llmTokensPerDay: optionalNumber(
    'LLM_TOKENS_PER_DAY',
    'tokens to and from the model in a day (UTC) after which extractions are refused (503); unset: no cap',
    { min: 1 },
  ),

  capSharePerOrganization: optionalNumber(
    'CAP_SHARE_PER_ORGANIZATION',
    'share of each of these daily caps that one organization may use up, up to 1; unset: half where others used it',
    { min: 0.001, max: 1, integer: false },
  ),

  lightRequestsPerMinute: number('RATE_LIGHT_PER_MINUTE', 120, 'requests of the light tier per organization', {
    min: 1,
  }),
  pollsPerMinute: number('RATE_POLLS_PER_MINUTE', 600, 'polls per organization', { min: 1 }),
  heavyRequestsFactor: number('RATE_HEAVY_FACTOR', 1, "multiplies the plans' heavy tiers", { min: 1 }),

  batchMaxItems: number('BATCH_MAX_ITEMS', 2000, 'items of one batch on the plan Pro', { min: 2000, max: 5000 }),

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
