import { isLoopback } from './address.ts'

/** The variables that depend on each other, by their names in `Config`. */
type Config = Readonly<
  Record<
    | 'kafkaUsername'
    | 'kafkaPassword'
    | 'smtpUrl'
    | 'mailFrom'
    | 'llmApiKey'
    | 'llmBaseUrl'
    | 'speechApiKey'
    | 'speechBaseUrl'
    | 'exportDir'
    | 'otlpEndpoint'
    | 'otlpLogsEndpoint'
    | 'metricsToken',
    string | undefined
  > &
    Record<
      'retentionDays' | 'capSharePerOrganization' | 'speechMinutesPerDay' | 'llmTokensPerDay',
      number | undefined
    > &
    Record<'leaseSeconds' | 'jobWindowSeconds' | 'mediaMaxBytes' | 'mediaCacheBytes' | 'port' | 'servicePort', number> &
    Record<'otelDisabled' | 'otelLogsExporter' | 'metricsHost', string>
> & { kafkaBrokers: readonly string[] | undefined; metricsPort: number | undefined }

type Rule = [isBroken: boolean, words: string]

/**
 * The contradictions between values that are valid separately, in words that name the variables. Values are not shown.
 */
export function contradictions(config: Config): string[] {
  const rules = [...times(config), ...halves(config), ...sizes(config), ...ports(config)]
  return rules.flatMap(([isBroken, words]) => (isBroken ? [words] : []))
}

const times = ({ leaseSeconds, jobWindowSeconds }: Config): Rule[] => [
  [
    leaseSeconds > jobWindowSeconds,
    'LEASE_SECONDS must be at most JOB_WINDOW_SECONDS: what a killed worker held would be taken over after its jobs have timed out',
  ],
]

/** Variables that are useless without another variable. */
function halves(config: Config): Rule[] {
  const { kafkaUsername, kafkaPassword, kafkaBrokers, smtpUrl, mailFrom, retentionDays, exportDir } = config
  const has = (value: unknown): boolean => value !== undefined
  const exportsLogs = has(config.otlpLogsEndpoint ?? config.otlpEndpoint) || config.otelDisabled === 'true'
  const hasCap = has(config.speechMinutesPerDay) || has(config.llmTokensPerDay)
  return [
    [has(kafkaUsername) !== has(kafkaPassword), 'set both KAFKA_USERNAME and KAFKA_PASSWORD, or none of them'],
    [has(kafkaUsername) && !has(kafkaBrokers), 'KAFKA_USERNAME needs KAFKA_BROKERS'],
    [has(smtpUrl) !== has(mailFrom), 'set both SMTP_URL and MAIL_FROM, or none of them'],
    [has(config.llmApiKey) && !has(config.llmBaseUrl), 'LLM_API_KEY needs LLM_BASE_URL: it is a key of that endpoint'],
    [
      has(config.speechApiKey) && !has(config.speechBaseUrl),
      'SPEECH_API_KEY needs SPEECH_BASE_URL: it is a key of that endpoint',
    ],
    [
      has(retentionDays) && !has(exportDir),
      'RETENTION_DAYS needs EXPORT_DIR: a job leaves the events only once it is in the archive',
    ],
    [
      has(config.capSharePerOrganization) && !hasCap,
      'CAP_SHARE_PER_ORGANIZATION needs SPEECH_MINUTES_PER_DAY or LLM_TOKENS_PER_DAY: it is a share of them',
    ],
    [
      config.otelLogsExporter === 'otlp' && !exportsLogs,
      'OTEL_LOGS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
    ],
  ]
}

const sizes = ({ mediaMaxBytes, mediaCacheBytes }: Config): Rule[] => [
  [
    mediaMaxBytes > mediaCacheBytes,
    'MEDIA_MAX_BYTES must be at most MEDIA_CACHE_BYTES: downloads under way are part of the cache',
  ],
]

function ports({ port, servicePort, metricsPort, metricsHost, metricsToken, otelDisabled }: Config): Rule[] {
  if (metricsPort === undefined) return []
  const isTaken = metricsPort !== 0 && (metricsPort === port || metricsPort === servicePort)
  return [
    [isTaken, 'METRICS_PORT must be another port than PORT and SERVICE_PORT'],
    [
      !isLoopback(metricsHost) && metricsToken === undefined,
      'METRICS_PORT needs METRICS_TOKEN where METRICS_HOST is not loopback',
    ],
    [otelDisabled === 'true', 'set METRICS_PORT or OTEL_SDK_DISABLED=true, and not both of them'],
  ]
}
