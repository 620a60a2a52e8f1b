import { expect } from 'chai'
import { SmtpMailer } from '#packages/adapters/smtp/mailer.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { startSmtpServer } from '#test/doubles/smtp-server.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { watchedMailer } from './watched-mailer.ts'

const mail = { to: 'ada@example.com', subject: 'hidden', text: 'hidden' }

describe('mails, as an operator sees them', () => {
  it('are spans and values with only the host, and a warning while the server does not accept them', async () => {
    const telemetry = new RecordingTelemetry()
    await using server = await startSmtpServer()
    await using mailer = watchedMailer(new SmtpMailer({ url: server.url, from: 'us@example.com' }), server.url, {
      clock,
      telemetry,
    })
    const codes = () => mailer.health.warnings.map(({ code }) => code)
    await telemetry.within(newTraceparent(true), async () => {
      await mailer.send(mail)
      server.answers.refusal = '550 5.1.1 <ada@example.com> no such person'
      await failureOf(mailer.send(mail))
      expect(codes(), 'an address that is wrong').to.deep.equal([])
      server.answers.refusal = '550 5.7.1 no relaying'
      await failureOf(mailer.send(mail))
      expect(codes()).to.deep.equal(['mail_server_failing'])
      server.answers.refusal = undefined
      await mailer.send(mail)
      expect(codes()).to.deep.equal([])
    })
    const outcomes = ['sent', 'unknown_address', 'EENVELOPE', 'sent']
    const measured = telemetry.valuesOf(metrics.mailDuration).map(({ attributes }) => attributes)
    expect(measured).to.deep.equal(
      outcomes.map((outcome) => ({ 'video.outcome': outcome, 'server.address': '127.0.0.1' })),
    )
    const spans = telemetry.named('send mail')
    expect(spans.map(({ kind, error }) => [kind, error])).to.deep.equal([
      ['client', undefined],
      ['client', 'unknown_address'],
      ['client', 'EENVELOPE'],
      ['client', undefined],
    ])
    expect(spans[0]?.attributes).to.deep.equal({ 'server.address': '127.0.0.1', 'video.egress.route': 'direct' })
    expect(JSON.stringify([spans, mailer.health.warnings])).to.not.match(/ada@|hidden/)
  })

  it('report a server that cannot be reached', async () => {
    const gone = await startSmtpServer()
    const { url } = gone
    await gone[Symbol.asyncDispose]()
    await using mailer = watchedMailer(new SmtpMailer({ url, from: 'us@example.com' }), url, {
      clock,
      telemetry: new RecordingTelemetry(),
    })
    await failureOf(mailer.send(mail))
    expect(mailer.health.warnings[0]).to.include({ code: 'mail_server_failing' })
    expect(mailer.health.warnings[0]?.message).to.not.contain('127.0.0.1')
  })
})
