import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'

const moduleAt = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)

const traceId = 'a1'.repeat(16)
const requestId = '0b1d3c4e-11aa-4b2c-8d3e-4f5061728394'
const jobId = '3f2504e0-4f89-41d3-9a0c-0305e82c4401'

/** A process that exports a span, a value and some log lines, and ends. */
const code = `import { readConfig } from ${moduleAt('../../packages/foundation/config/config.ts')}
  import { createLog, flushLog } from ${moduleAt('../../packages/telemetry/log.ts')}
  import { metrics } from ${moduleAt('../../packages/telemetry/metrics.ts')}
  import { openTelemetry } from ${moduleAt('./open-telemetry.ts')}
  import { runProcess } from ${moduleAt('./run-process.ts')}
  const work = async (_stop, gaveUp) => {
    const log = createLog('test', 'info')
    const telemetry = await openTelemetry(readConfig(process.env), { service: 'test', log, gaveUp })
    const traceparent = '00-${traceId}-${'b2'.repeat(8)}-01'
    telemetry.ended({ name: 'a span', traceparent, parentId: undefined, startedAt: Date.now(), endedAt: Date.now() })
    telemetry.add(metrics.deadLetters, 2, { 'video.step': undefined })
    telemetry.observe(metrics.cpu, () => [{ value: 1.5 }])
    telemetry.within(traceparent, () => log.warn({ traceId: '${traceId}', prompt: 'hidden words' }, 'within'))
    log.child({ jobId: '${jobId}', traceId: '${traceId}' }).info({ err: new Error('at https://a.example/hidden') }, 'about a job')
    log.info({ requestId: '${requestId}', traceId: '${traceId}', jobId: '${jobId}' }, 'about a request')
    log.info({ requestId: 'acme:1', spanId: 'c3c3c3c3c3c3c3c3', traceId: '${traceId}' }, 'about a named request')
    log.info({ step: 'fetch', tries: 2 }, 'about nothing')
    const from = performance.now()
    await telemetry[Symbol.asyncDispose]()
    process.once('exit', () => console.log(performance.now() - from))
    await flushLog(log)
  }
  await runProcess(work)`

/** Time limit of the exports at the end, milliseconds. After that they are abandoned. */
const GIVES_UP_AFTER_MS = 2000

/** The time limit on a machine that stalls, milliseconds. Exporters alone would wait for ten seconds. */
const AT_MOST_MS = 8000

type Lines = Record<string, unknown>[]
type Run = { status: number; endedWithinMs: number; lines: Lines }

/** Runs the process. @throws SyntaxError if standard error has something that is not a log line */
async function run(env: Record<string, string>): Promise<Run> {
  const words = ['--import', 'tsx/esm', '--input-type=module', '-e', code]
  const child: ChildProcess = spawn(process.execPath, words, { env: { ...process.env, ...env }, stdio: 'pipe' })
  const [out, err] = [child.stdout, child.stderr].map((stream) => text(stream as NonNullable<typeof stream>))
  const [status] = await once(child, 'exit')
  const lines = ((await err) ?? '').split('\n').filter((line) => line !== '')
  return { status, endedWithinMs: Number(await out), lines: lines.map((line) => JSON.parse(line)) }
}

/** Runs the process, and again if it abandoned its exports because the machine stalled. */
async function runToTheEnd(env: Record<string, string>): Promise<Run> {
  for (;;) {
    const ran = await run(env)
    if (ran.endedWithinMs < GIVES_UP_AFTER_MS) return ran
  }
}

async function listening(answer: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const collector = await onLoopback(createServer(answer))
  return { ...collector, url: `http://127.0.0.1:${collector.port}` }
}

const own = ['within', 'about a job', 'about a request', 'about a named request', 'about nothing']

const messages = (lines: Lines): unknown[] => lines.map(({ msg }) => msg)

describe('the exports of a process', function () {
  this.timeout(60_000)

  it('are its spans, values and log lines, the lines as they were written', async () => {
    const received = new Map<string, unknown>()
    await using collector = await listening(async (request, response) => {
      received.set(request.url ?? '', await json(request))
      response.setHeader('content-type', 'application/json').end('{}')
    })
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
    const { status, lines } = await runToTheEnd({ ...env, OTEL_LOGS_EXPORTER: 'otlp' })
    expect(status).to.equal(0)
    expect(messages(lines)).to.deep.equal(own)
    expect([...received.keys()].toSorted()).to.deep.equal(['/v1/logs', '/v1/metrics', '/v1/traces'])
    expect(JSON.stringify([...received.values()])).to.not.contain('hidden')
    const values = JSON.stringify(received.get('/v1/metrics'))
    expect(values).to.contain('video.dead_letters').and.contain('process.cpu.time').but.not.contain('"video.step"')

    for (const [path, list] of [
      ['/v1/traces', 'resourceSpans'],
      ['/v1/metrics', 'resourceMetrics'],
      ['/v1/logs', 'resourceLogs'],
    ] as const) {
      const [{ resource, schemaUrl } = {}] = (received.get(path) as Record<string, ReceivedResource[]>)[list] ?? []
      const keys = resource?.attributes.map(({ key }) => key)
      expect(keys, path).to.include.members(['telemetry.sdk.name', 'telemetry.sdk.language', 'telemetry.sdk.version'])
      expect(keys, path).to.include.members(['service.name', 'service.namespace', 'service.instance.id'])
      // The resource has only these attributes. Others would expose command lines and paths.
      expect(
        keys?.filter((key) => /^(?:process|host|os)\./.test(key)),
        path,
      ).to.deep.equal([])
      expect(schemaUrl, path).to.match(/^https:\/\/opentelemetry\.io\/schemas\/1\.\d+\.0$/)
    }

    const { resourceLogs } = received.get('/v1/logs') as ReceivedLogs
    const records = resourceLogs[0]?.scopeLogs[0]?.logRecords ?? []
    const told = records.map(({ body, severityText, traceId, spanId }) => [body, severityText, traceId, spanId])
    expect(told).to.deep.equal([
      [{ stringValue: 'within' }, 'warn', traceId, 'b2'.repeat(8)],
      [{ stringValue: 'about a job' }, 'info', traceId, '9a0c0305e82c4401'],
      [{ stringValue: 'about a request' }, 'info', traceId, '8d3e4f5061728394'],
      [{ stringValue: 'about a named request' }, 'info', traceId, 'c3'.repeat(8)],
      [{ stringValue: 'about nothing' }, 'info', undefined, undefined],
    ])
    expect(records[0]?.attributes).to.deep.include({ key: 'prompt', value: { stringValue: '[redacted]' } })
    expect(records[4]?.attributes).to.deep.equal([
      { key: 'step', value: { stringValue: 'fetch' } },
      { key: 'tries', value: { intValue: 2 } },
    ])
    expect(records[4]?.timeUnixNano.slice(0, 13)).to.equal(String(Date.parse(lines[4]?.time as string)))
  })

  it('contain no log lines unless these are asked for', async () => {
    const paths = new Set<string | undefined>()
    await using collector = await listening((request, response) => {
      paths.add(request.url)
      request.resume().once('end', () => response.end())
    })
    await runToTheEnd({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect([...paths].toSorted()).to.deep.equal(['/v1/metrics', '/v1/traces'])
  })

  const complaint = 'spans, values or log lines could not be exported'

  it('are lost if no server listens, at the cost of two seconds, and the exit status stays', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
    const { status, endedWithinMs, lines } = await run({ ...env, OTEL_LOGS_EXPORTER: 'otlp' })
    expect(status).to.equal(0)
    expect(endedWithinMs).to.be.below(AT_MOST_MS)
    // Three exports have failed.
    expect(messages(lines)).to.deep.equal([...own, complaint])
    expect(lines[5]).to.include({ level: 'warn', reason: 'connect ECONNREFUSED 127.0.0.1:9' })
  })

  it('are lost if the server never answers, at the same cost', async () => {
    await using collector = await listening(() => {})
    const { status, endedWithinMs, lines } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_LOGS_EXPORTER: 'otlp',
    })
    expect(status).to.equal(0)
    expect(endedWithinMs).to.be.within(GIVES_UP_AFTER_MS - 100, AT_MOST_MS)
    expect(messages(lines)).to.deep.equal(own)
  })
})

type ReceivedResource = { resource: { attributes: { key: string }[] }; schemaUrl?: string }

type ReceivedLogs = {
  resourceLogs: {
    scopeLogs: {
      logRecords: {
        body: unknown
        severityText: string
        timeUnixNano: string
        traceId?: string
        spanId?: string
        attributes: unknown[]
      }[]
    }[]
  }[]
}
