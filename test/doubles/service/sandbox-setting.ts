import { unpaced } from '#packages/foundation/config/config.ts'
import type { Site } from '#services/sandbox/site.ts'
import { type SandboxWorld, startSandboxWorld } from '#services/sandbox/world.ts'
import { type SpeechEndpoint, startSpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import { RunningService } from './running-service.ts'
import { Service } from './service.ts'

export type SandboxSettingOptions = {
  /** Every reader uses an exit address of its own. Default: all share one. */
  sessions?: boolean
  /** Sites besides those of the sandbox. */
  also?: readonly Site[]
  /** Variables to add or replace. */
  env?: (sandbox: SandboxWorld) => Record<string, string>
}

/** A running service with the sandbox as its outside world: the real yt-dlp and our own readers read it. */
export class SandboxSetting extends RunningService {
  readonly sandbox: SandboxWorld
  readonly speech: SpeechEndpoint

  private constructor(sandbox: SandboxWorld, speech: SpeechEndpoint, service: Service, opened: AsyncDisposable) {
    super(service, opened)
    this.sandbox = sandbox
    this.speech = speech
  }

  static async start({ sessions = false, also = [], env }: SandboxSettingOptions = {}): Promise<SandboxSetting> {
    await using opening = new AsyncDisposableStack()
    const sandbox = opening.use(await startSandboxWorld(also))
    const speech = opening.use(await startSpeechEndpoint())
    const outside = {
      EGRESS_PROXY: sessions ? proxyWithSessions(sandbox) : sandbox.proxyUrl,
      EGRESS_CA_FILE: sandbox.caFile,
      SEARXNG_URL: sandbox.searxngUrl,
      ...unpaced(),
    }
    const unlimited = { RATE_HEAVY_FACTOR: '100', RATE_LIGHT_PER_MINUTE: '2000' }
    const given = { ...outside, ...unlimited, ...env?.(sandbox) }
    const service = opening.use(await Service.prepare({ speech, env: given }))
    await service.start()
    return new SandboxSetting(sandbox, speech, service, opening.move())
  }
}

/** The sandbox uses the user's name as the exit address. */
export const proxyWithSessions = ({ proxyUrl }: SandboxWorld): string =>
  proxyUrl.replace('http://', 'http://{session}:x@')
