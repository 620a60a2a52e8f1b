import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { InstagramProfile, ListedJob, TikTokProfile, VideoMetadata } from '#contracts/generated/http.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { noTelemetry, type Telemetry } from '#packages/telemetry/telemetry.ts'
import { type IngressOptions, ingressDefaults } from '#services/ingress/options.ts'
import { mcpDoor } from '#services/mcp/door.ts'
import { mcpListener } from '#services/mcp/http.ts'
import { UNTRUSTED } from '#services/mcp/video-text.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { until } from '#test/doubles/service/until.ts'
import { untold } from '#test/doubles/untold.ts'

/** How a host reaches the tools, and which revision of the protocol it uses. */
export type Way = { transport: 'stdio' | 'http'; mode: 'legacy' | 'auto' }

export const ways: readonly Way[] = [
  { transport: 'http', mode: 'legacy' },
  { transport: 'http', mode: 'auto' },
  { transport: 'stdio', mode: 'legacy' },
  { transport: 'stdio', mode: 'auto' },
]

export const film: VideoMetadata = {
  ...untold,
  title: 'film',
  author: 'Acme',
  platform: 'direct',
  duration: 5.5,
  isLive: null,
}

const author = { username: 'teller', displayName: 'Teller', avatarUrl: null, verified: false }

export const tiktokProfile: TikTokProfile = {
  platform: 'tiktok',
  type: 'profile',
  username: 'teller',
  url: 'https://www.tiktok.com/@teller',
  author,
  stats: { followers: 5, following: null, likes: 1, videos: 0 },
  videos: [],
}

export const instagramProfile: InstagramProfile = {
  platform: 'instagram',
  type: 'profile',
  username: 'teller',
  url: 'https://www.instagram.com/teller/',
  description: 'Stories.',
  author,
  stats: { followers: 5, following: 3, posts: 0 },
  videos: [],
}

export const project = fileURLToPath(new URL('../../../', import.meta.url))

/** A host's configuration for the tools, as `npm run mcp` starts them. */
export const stdioCommand = { command: process.execPath, args: ['--import', 'tsx/esm', 'services/mcp/main.ts'] }

export type McpHarnessOptions = {
  answerSeconds?: number
  maxResultTokens?: number
  sources?: Parameters<typeof sourcesOf>[0]
  /** Limits of the ingress that differ from its defaults. */
  limits?: Partial<IngressOptions>
  /** The URL at which the tools call the service. Default: its address. */
  baseUrl?: string
  telemetry?: Telemetry
}

/** The real `/v1` without workers, the tool server in front of it, and one customer. */
export async function startMcpHarness({
  answerSeconds = 20,
  maxResultTokens,
  sources,
  limits,
  baseUrl,
  telemetry = noTelemetry,
}: McpHarnessOptions = {}) {
  await using opening = new AsyncDisposableStack()
  const options = { answerSeconds, telemetry, ...(maxResultTokens !== undefined && { maxResultTokens }) }
  const ingress = opening.use(
    await startIngress({
      clock,
      telemetry,
      // Raises a limit, because tests poll the list of jobs more often than a customer may.
      options: { extracts: true, rates: { ...ingressDefaults.rates, light: 10_000 }, ...limits },
      platforms: sourcesOf({
        metadata: async () => ({ metadata: film, missing: [] }),
        profiles: {
          tiktok: async () => ({ profile: tiktokProfile, next: null }),
          instagram: async () => ({ profile: instagramProfile, next: null }),
        },
        ...sources,
      }),
      mounted: (base) => ({
        '/mcp': {
          ...mcpDoor({ host: '127.0.0.1', allowedOrigins: [] }),
          answer: mcpListener({ ...options, baseUrl: () => baseUrl ?? base() }).answer,
        },
      }),
    }),
  )
  const acme = await ingress.org('pro')
  const env = {
    ...machineEnvironment(),
    VIDEO_INTELLIGENCE_API_KEY: acme.key,
    VIDEO_INTELLIGENCE_BASE_URL: baseUrl ?? ingress.base,
    MCP_ANSWER_SECONDS: String(Math.ceil(answerSeconds)),
  }

  const transportOf = (transport: Way['transport'], headers: Record<string, string>) =>
    transport === 'stdio'
      ? new StdioClientTransport({ ...stdioCommand, env, cwd: project, stderr: 'inherit' })
      : new StreamableHTTPClientTransport(new URL(`${ingress.base}/mcp`), { requestInit: { headers } })

  const hosts = opening.use(new AsyncDisposableStack())
  /** A connected host. */
  async function connect({ transport, mode }: Way, headers: Record<string, string> = { 'x-api-key': acme.key }) {
    const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(transportOf(transport, headers))
    hosts.defer(() => client.close())
    return client
  }

  /** Waits until a job that is not among these is accepted. */
  const nextJob = (known: readonly string[] = []): Promise<ListedJob> =>
    until('a job is taken on', async () => {
      const { jobs } = (await acme.get('/v1/jobs')).body as { jobs: ListedJob[] }
      return jobs.find(({ jobId, status }) => status === 'queued' && !known.includes(jobId)) ?? false
    })

  /** Runs `npm run mcp` to its end. */
  const runStdio = (more: Record<string, string>) => {
    const { command, args } = stdioCommand
    return spawnSync(command, args, { cwd: project, env: { ...env, ...more }, encoding: 'utf8', input: '' })
  }

  /** The names of the tools that the package's bin serves when it starts elsewhere. */
  async function toolsOfBin(): Promise<string[]> {
    const client = new Client({ name: 'host', version: '1.0.0' })
    const bin = { command: process.execPath, args: [join(project, 'services/mcp/bin.mjs')] }
    await client.connect(new StdioClientTransport({ ...bin, env, cwd: tmpdir(), stderr: 'inherit' }))
    hosts.defer(() => client.close())
    return (await client.listTools()).tools.map(({ name }) => name)
  }

  const resources = opening.move()
  return {
    ingress,
    acme,
    env,
    connect,
    nextJob,
    runStdio,
    toolsOfBin,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export type McpHarness = Awaited<ReturnType<typeof startMcpHarness>>

export const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')

const fenced = /^<video-text ([a-z]{20})>\n([\s\S]*)\n<\/video-text \1>$/

/**
 * Strangers' text, without its fences. @throws Error if a block is marked and has no fences, or has fences and is not
 * marked
 */
export const videoTextOf = ({ content }: CallToolResult): string[] =>
  content.flatMap((part) => {
    const text = part.type === 'text' ? part.text : ''
    const inside = fenced.exec(text)?.[2]
    const isMarked = part._meta?.[UNTRUSTED] === true
    if (isMarked !== (inside !== undefined)) throw new Error(`marked: ${isMarked}, and the block is ${text}`)
    return inside === undefined ? [] : [inside]
  })

/** The tools' own text. */
export const ownTextOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' && part._meta?.[UNTRUSTED] !== true ? part.text : '')).join('\n')

// biome-ignore lint/suspicious/noExplicitAny: the test says what it expects
export const structureOf = ({ structuredContent }: CallToolResult): any => structuredContent
