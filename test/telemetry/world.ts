import { unpaced } from '#packages/foundation/config/config.ts'
import { STAND_IN } from '#services/sandbox/llm/stand-in-models.ts'
import type { Site } from '#services/sandbox/site.ts'
import { startSandboxWorld } from '#services/sandbox/world.ts'
import { at } from '#test/doubles/service/setting.ts'
import { startSmtpServer } from '#test/doubles/smtp-server.ts'
import { startSpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import { mediaFiles } from '#test/doubles/world/media.ts'

const MEDIA = ['captioned.mp4', 'speech.mp3'] as const

/** The next request for a file of the world is never answered. */
class Hold {
  waits = false
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** @returns whether it is this request */
  takes(path: string): boolean {
    if (this.waits || path !== this.#path) return false
    this.waits = true
    return true
  }
}

/** A site with the files that `at` leads to. */
async function filesOf(names: readonly string[], isHeld: (path: string) => boolean): Promise<Site> {
  const files = await mediaFiles(names)
  return {
    hosts: [new URL(at('/captioned.mp4')).hostname],
    answer({ url }) {
      if (isHeld(url.pathname + url.search)) return new Promise<never>(() => {})
      const body = files.get(url.pathname)
      return body && { status: 200, body }
    },
  }
}

/** The sandbox with every platform, and direct files beside it. */
export async function startOutsideWorld() {
  await using opening = new AsyncDisposableStack()
  const holds: Hold[] = []
  const files = await filesOf(MEDIA, (path) => holds.some((hold) => hold.takes(path)))
  const sandbox = opening.use(await startSandboxWorld([files]))
  const speech = opening.use(await startSpeechEndpoint())
  const mails = opening.use(await startSmtpServer())
  const open = opening.move()
  return {
    /** The variables that lead to it. */
    variables: {
      EGRESS_PROXY: sandbox.proxyUrl,
      EGRESS_CA_FILE: sandbox.caFile,
      SEARXNG_URL: sandbox.searxngUrl,
      ...unpaced(),
      SPEECH_BASE_URL: speech.baseUrl,
      SMTP_URL: mails.url,
      MAIL_FROM: 'us@example.com',
      SPEECH_API_KEY: 'sk-telemetry',
      LLM_BASE_URL: sandbox.modelsUrl,
      LLM_MODEL: STAND_IN,
      LLM_API_KEY: 'sk-telemetry',
    },
    /** The platform answers 429 to everything until this is disposed of. */
    refuse: (host: string): Disposable =>
      sandbox.disturb({ host, how: { kind: 'answer', status: 429, body: 'Too Many Requests' } }),
    /** The next request for a path, with its query, is never answered. */
    hold(path: string): Hold {
      const hold = new Hold(path)
      holds.push(hold)
      return hold
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export type OutsideWorld = Awaited<ReturnType<typeof startOutsideWorld>>
