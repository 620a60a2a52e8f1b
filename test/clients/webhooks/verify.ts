/**
 * Verifies a message with `standardwebhooks` of npm, with each of its secrets. Argument: a file with a SignedMessage.
 * Prints `verified` if both secrets verify it, and neither verifies a changed body. It runs outside of the project
 * (`main.ts`).
 */
import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'

const { secrets, headers, body } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

for (const secret of secrets) {
  const webhook = new Webhook(secret)
  if ((webhook.verify(body, headers) as { type?: string }).type !== 'ping') throw new Error('it is another message')
  let isTaken = true
  try {
    webhook.verify(body.replace('ping', 'pong'), headers)
  } catch {
    isTaken = false
  }
  if (isTaken) throw new Error('a changed body is taken')
}
console.log('verified')
