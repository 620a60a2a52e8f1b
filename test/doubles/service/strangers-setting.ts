import type { RequestListener } from 'node:http'
import { type SpeechEndpoint, startSpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import { type StrangerHosts, startStrangerHosts } from '#test/doubles/world/stranger-hosts.ts'
import { RunningService } from './running-service.ts'
import { Service } from './service.ts'

/** A running service with only strangers' hosts outside. */
export class StrangersSetting extends RunningService {
  readonly hosts: StrangerHosts
  readonly #speech: SpeechEndpoint

  private constructor(hosts: StrangerHosts, speech: SpeechEndpoint, service: Service) {
    super(service)
    this.hosts = hosts
    this.#speech = speech
  }

  static async start(handler: RequestListener, env: Record<string, string> = {}): Promise<StrangersSetting> {
    await using opening = new AsyncDisposableStack()
    const hosts = opening.use(await startStrangerHosts(handler))
    const speech = opening.use(await startSpeechEndpoint({}))
    const outside = { EGRESS_PROXY: hosts.proxyUrl, EGRESS_CA_FILE: hosts.caFile }
    const unlimited = { RATE_HEAVY_FACTOR: '100', RATE_LIGHT_PER_MINUTE: '5000' }
    const service = opening.use(await Service.prepare({ speech, env: { ...outside, ...unlimited, ...env } }))
    await service.start()
    opening.move()
    return new StrangersSetting(hosts, speech, service)
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    await this.#speech[Symbol.asyncDispose]()
    await this.hosts[Symbol.asyncDispose]()
  }
}
