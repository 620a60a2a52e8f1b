import type { NewWebhook, WebhookSecret } from '#contracts/generated/http.ts'
import type { SandboxRequest, Site } from '#services/sandbox/site.ts'
import { until } from '#test/doubles/service/until.ts'

const HOST = 'hooks.example.com'

/** A message in the form that its receiver gets, and the secrets that sign it. */
export type SignedMessage = { secrets: string[]; headers: Record<string, string>; body: string }

/** A site that keeps the messages it receives. */
export function receivingSite(): Site & { received: SandboxRequest[] } {
  const received: SandboxRequest[] = []
  return {
    received,
    hosts: [HOST],
    answer(request) {
      received.push(request)
      return { status: 204 }
    },
  }
}

/** Makes a webhook, gives it a second secret, and pings it. @returns the message that comes */
export async function signedMessage(
  { base, key }: { base: string; key: string },
  { received }: { received: readonly SandboxRequest[] },
): Promise<SignedMessage> {
  const post = async <T>(path: string, body: object = {}): Promise<T> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const answer = await fetch(`${base}/v1/webhooks${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as T
  }
  const made = await post<NewWebhook>('', { url: `https://${HOST}/video`, events: ['job.completed'] })
  const { secret } = await post<WebhookSecret>(`/${made.id}/rotate`)
  await post(`/${made.id}/ping`)
  const [message] = await until('the ping comes', () => received.length > 0 && received)
  const headers = Object.entries(message?.headers ?? {}).filter(([name]) => name.startsWith('webhook-'))
  return {
    secrets: [secret, made.secret],
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: String(message?.body),
  }
}
