import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { onLoopback } from '#test/doubles/loopback-server.ts'

export type ReceivedMail = { to: string[]; data: string }

/** A mail server on loopback that stores what it accepts. `refusal`: its answer to recipients in place of 250. */
export async function startSmtpServer() {
  const received: ReceivedMail[] = []
  const server = createServer((socket) => void serve(socket, received, answers))
  const answers: { refusal: string | undefined } = { refusal: undefined }
  const { port, ...closing } = await onLoopback(server)
  return { url: `smtp://127.0.0.1:${port}`, received, answers, ...closing }
}

async function serve(
  socket: Socket,
  received: ReceivedMail[],
  answers: { refusal: string | undefined },
): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let mail: ReceivedMail = { to: [], data: '' }
  let isData = false
  say('220 test')
  socket.on('error', () => {})
  for await (const line of createInterface({ input: socket })) {
    if (isData && line === '.') {
      isData = false
      received.push(mail)
      mail = { to: [], data: '' }
      say('250 taken')
    } else if (isData) mail.data += `${line}\n`
    else if (/^rcpt to/i.test(line)) {
      mail.to.push(/<(.*)>/.exec(line)?.[1] ?? '')
      say(answers.refusal ?? '250 ok')
    } else if (/^data/i.test(line)) {
      isData = true
      say('354 go on')
    } else if (/^quit/i.test(line)) socket.end('221 bye\r\n')
    else say('250 ok')
  }
}
