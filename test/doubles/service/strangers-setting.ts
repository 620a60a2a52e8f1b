import type { RequestListener } from 'node:http'
import { startSpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import { type StrangerHosts, startStrangerHosts } from '#test/doubles/world/stranger-hosts.ts'
import { RunningService } from './running-service.ts'
import { Service } from './service.ts'

/** A running service with only strangers' hosts outside. */
export class StrangersSetting extends RunningService {
  readonly hosts: StrangerHosts

  private constructor(hosts: StrangerHosts, service: Service, opened: AsyncDisposable) {
    super(service, opened)
    this.hosts = hosts
  }

  static async start(handler: RequestListener, env: Record<string, string> = {}): Promise<StrangersSetting> {
    await using opening = new AsyncDisposableStack()
    const hosts = opening.use(await startStrangerHosts(handler))
    const speech = opening.use(await startSpeechEndpoint({}))
    const outside = { EGRESS_PROXY: hosts.proxyUrl, EGRESS_CA_FILE: hosts.caFile }
    const unlimited = { RATE_HEAVY_FACTOR: '100', RATE_LIGHT_PER_MINUTE: '5000' }
    const service = opening.use(await Service.prepare({ speech, env: { ...outside, ...unlimited, ...env } }))
    await service.start()
    return new StrangersSetting(hosts, service, opening.move())
  }
}
