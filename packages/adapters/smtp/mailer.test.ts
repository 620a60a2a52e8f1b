import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { startSmtpServer } from '#test/doubles/smtp-server.ts'
import { SmtpMailer } from './mailer.ts'

const link = 'https://api.example.com/dashboard/verify?token=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ'
const mail = { to: 'ada@example.com', subject: 'Confirm your e-mail address', text: `Open:\n\n${link}\n` }

describe('mails by SMTP', () => {
  it('arrive as plain text, with their link in one piece', async () => {
    await using server = await startSmtpServer()
    await using mailer = new SmtpMailer({ url: server.url, from: 'Us <us@example.com>' })
    await mailer.send(mail)
    const [received] = server.received
    expect(received?.to).to.deep.equal(['ada@example.com'])
    expect(received?.data)
      .to.match(/^From: Us <us@example.com>$/m)
      .and.to.match(/^Content-Type: text\/plain/m)
    expect(received?.data.replace(/=\n/g, '').replace(/=3D/g, '=')).to.contain(link)
  })

  it('go to one address, whatever it looks like', async () => {
    await using server = await startSmtpServer()
    await using mailer = new SmtpMailer({ url: server.url, from: 'us@example.com' })
    await mailer.send({ ...mail, to: 'ada@example.com,eve@example.com' }).catch(() => {})
    expect(server.received.flatMap(({ to }) => to)).to.not.include('eve@example.com')
  })

  it('fail with a code if the server refuses them, or is away', async () => {
    const server = await startSmtpServer()
    const mailer = new SmtpMailer({ url: server.url, from: 'us@example.com' })
    server.answers.refusal = '550 no such person'
    expect(await failureOf(mailer.send(mail))).to.include({ code: 'EENVELOPE' })
    server.answers.refusal = '550 5.7.1 no relaying'
    expect(await failureOf(mailer.send(mail))).to.include({ code: 'EENVELOPE' })
    server.answers.refusal = '550 5.1.1 <ada@example.com> no such person'
    expect(await failureOf<Error>(mailer.send(mail))).to.include({
      code: 'unknown_address',
      message: 'no such address',
    })
    await mailer[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    await using later = new SmtpMailer({ url: server.url, from: 'us@example.com' })
    expect(await failureOf(later.send(mail))).to.have.property('code')
  })
})
