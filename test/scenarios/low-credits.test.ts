import { expect } from 'chai'
import { PASSWORD, TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { startSmtpServer } from '#test/doubles/smtp-server.ts'

const OWNER = 'ada@example.com'

describe('credits that run low', function () {
  this.timeout(startScript === 'start' ? 60_000 : 300_000)

  const mails = openedForAll(() => startSmtpServer())
  const setting = openedForAll(() =>
    Setting.start({ env: { SIGNUP: 'open', SMTP_URL: mails.url, MAIL_FROM: 'service@example.com' } }),
  )

  /** An organization, with an owner who has confirmed the address. */
  async function organization(): Promise<string> {
    const visitor = new TestVisitor(setting.service.base, '/dashboard')
    await visitor.post('/sign-up', { email: OWNER, password: PASSWORD, organization: 'Acme' })
    const mail = await until('the link to confirm the address', () => mails.received[0])
    const [, token = ''] = /verify\?token=3?D?([\w-]+)/.exec(mail.data.replaceAll('=\n', '')) ?? []
    const { html } = await visitor.post('/verify', { token })
    return /\/org\/([\w-]+)/.exec(html)?.[1] ?? ''
  }

  const subjects = (): string[] =>
    mails.received.slice(1).map(({ data }) => /^Subject: (.*)$/m.exec(data)?.[1]?.trim() ?? '')

  const untilMailed = (count: number) => until(`${count} mails`, () => subjects().length >= count)

  it('are mailed to the owner once until credits are added, also by a service that was killed', async () => {
    const orgId = await organization()
    const backDoor = await setting.backDoor()
    await backDoor.spend(orgId, 45)
    await untilMailed(1)
    await setting.service.cut()
    await backDoor.spend(orgId, 4)
    await setting.service.start()
    await backDoor.spend(orgId, 1)
    await backDoor.grant(orgId, 50)
    await backDoor.spend(orgId, 50)
    await untilMailed(2)
    expect(subjects()).to.deep.equal(['Acme is running low on credits', 'Acme has no credits left'])
    expect(mails.received.map(({ to }) => to)).to.deep.equal([[OWNER], [OWNER], [OWNER]])
  })
})
