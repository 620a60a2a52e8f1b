import { BackDoor } from '#test/doubles/service/back-door.ts'
import { Client } from '#test/doubles/service/client.ts'
import { Service } from '#test/doubles/service/service.ts'
import { until } from '#test/doubles/service/until.ts'

/** A service in one process with its events on a server, and a customer of it. */
export class ServiceOnServer implements AsyncDisposable {
  readonly service: Service
  readonly client: Client

  private constructor(service: Service, client: Client) {
    this.service = service
    this.client = client
  }

  static async start(eventStoreUrl: string): Promise<ServiceOnServer> {
    const service = await Service.start({ env: { EVENT_STORE_URL: eventStoreUrl } })
    await using backDoor = await BackDoor.open(service)
    const client = new Client(() => service.base, await backDoor.organization({ plan: 'pro' }))
    await until('the key is known', async () => (await client.get('/v1/me')).status === 200)
    return new ServiceOnServer(service, client)
  }

  /** The answer of `/ready`. */
  async readiness(): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.service.base}/ready`)
    return { status: response.status, text: await response.text() }
  }

  async isReady(): Promise<void> {
    await until('it is ready', async () => (await this.readiness()).status === 200)
  }

  /** Waits until the answer of `/ready` includes a text. */
  async says(what: string | RegExp): Promise<string> {
    return until(`/ready says ${what}`, async () => {
      const { status, text } = await this.readiness()
      return status === 503 && new RegExp(what).test(text) && text
    })
  }

  /** Lines of the log that contain a text. */
  lines(text: string): string[] {
    return this.service.output.split('\n').filter((line) => line.includes(text))
  }

  /** Requests a transcript of a video that does not exist. */
  order() {
    return this.client.transcript({ url: 'https://cdn.nowhere.example/a.mp4', mode: 'native' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]()
  }
}
