import { expect } from 'chai'
import { variables } from './config.ts'
import { lookalikes } from './lookalikes.ts'

const reportOf = (...names: string[]) => lookalikes(Object.fromEntries(names.map((name) => [name, 'hidden'])))

describe('a variable that looks like one of ours', () => {
  for (const [wrong, right] of Object.entries({
    LLM_API_KY: 'LLM_API_KEY',
    LLM_APIKEY: 'LLM_API_KEY',
    llm_api_key: 'LLM_API_KEY',
    LLM_API_KEY_FLIE: 'LLM_API_KEY_FILE',
    LEASE_SECOND: 'LEASE_SECONDS',
    JOB_WINDOWS_SECONDS: 'JOB_WINDOW_SECONDS',
    KAFKA_BROKER: 'KAFKA_BROKERS',
    DATADIR: 'DATA_DIR',
    MOGNODB_URL: 'MONGODB_URL',
    OTEL_EXPORTER_OTLP_ENDPIONT: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  }))
    it(`is reported with the intended name: ${wrong}`, () => {
      expect(reportOf(wrong)).to.deep.equal([`${wrong} is not read: is ${right} meant?`])
    })

  it('is reported even if no intended name is clear', () => {
    expect(reportOf('SPEECH_LANGUAGE_DEFAULT', 'LLM_KEY')).to.deep.equal([
      'SPEECH_LANGUAGE_DEFAULT is not read: no variable has this name (ops/configuration.md)',
      'LLM_KEY is not read: no variable has this name (ops/configuration.md)',
    ])
  })

  it('is neither one of ours nor one of other programs', () => {
    const secret = Object.values(variables).flatMap(({ variable, isSecret }) => (isSecret ? [`${variable}_FILE`] : []))
    expect(reportOf(...Object.values(variables).map(({ variable }) => variable), ...secret)).to.deep.equal([])
    const others = [
      ...['PATH', 'HOME', 'PWD', 'USER', 'LANG', 'TERM', 'SHELL', 'HOSTNAME', 'MAIL', 'LOGNAME', 'SORT', 'POST', 'TZ'],
      ...[
        'NODE_ENV',
        'NODE_OPTIONS',
        'NODE_EXTRA_CA_CERTS',
        'NO_COLOR',
        'CI',
        'npm_config_cache',
        'npm_lifecycle_event',
      ],
      ...['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_COMPRESSION', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'],
      ...['OTEL_EXPORTER_OTLP_LOGS_PROTOCOL', 'OTEL_TRACES_EXPORTER', 'OTEL_LOG_LEVEL', 'OTEL_SERVICE_NAME'],
      ...['OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BLRP_SCHEDULE_DELAY', 'OTEL_RESOURCE_ATTRIBUTES', 'OTEL_PROPAGATORS'],
      ...[
        'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
        'OTEL_EXPORTER_OTLP_INSECURE',
        'OTEL_ATTRIBUTE_COUNT_LIMIT',
      ],
      // Variables that Kubernetes sets in a pod, and that images of engines set in their containers.
      ...['KUBERNETES_SERVICE_HOST', 'KAFKA_SERVICE_HOST', 'KAFKA_PORT_9092_TCP', 'KAFKA_HEAP_OPTS', 'KAFKA_LOG_DIRS'],
      ...['EVENT_STORE_ACCOUNT', 'EVENTS_PASSWORD', 'QUEUE_PASSWORD', 'VIEWS_PASSWORD', 'GRAFANA_PASSWORD'],
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'PYTHONPATH', 'TMPDIR'],
    ]
    expect(reportOf(...others)).to.deep.equal([])
  })

  it('is not reported if it is empty, and its value is never shown', () => {
    expect(lookalikes({ LLM_API_KY: '' })).to.deep.equal([])
    expect(reportOf('LLM_API_KY').join()).to.not.contain('hidden')
  })
})
