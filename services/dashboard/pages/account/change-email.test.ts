import { expect } from 'chai'
import { serveDashboard } from '../../served-dashboard.harness.ts'
import { PASSWORD } from '../../test-visitor.harness.ts'

describe('the page that changes an e-mail address', () => {
  it('requires the password, and changes the address with the form behind the mailed link', async () => {
    await using dashboard = await serveDashboard({ options: { sendsMail: true } })
    const ada = await dashboard.signedUpByMail('ada@example.com')
    const refused = await ada.post('/account/email', { email: 'ada@new.example.com', password: 'not this one' })
    expect(refused.text).to.include('Password is not your password')
    expect(refused.html).to.include('value="ada@new.example.com"')
    const { to } = await ada.post('/account/email', { email: 'ada@new.example.com', password: PASSWORD })
    expect(to).to.equal('/account?done=address-asked')
    const link = /\/dashboard(\/account\S+)/.exec(dashboard.mails.at(-2)?.text ?? '')?.[1] ?? ''
    expect((await dashboard.visitor().get(link)).to).to.equal(`/sign-in?next=${encodeURIComponent(link)}`)
    expect((await ada.get(link)).text).to.include('It replaces ada@example.com')
    const token = link.split('token=')[1] ?? ''
    expect((await ada.post('/account/email/confirm', { token })).to).to.equal('/account?done=address-changed')
    expect((await ada.get('/account')).text).to.include('ada@new.example.com')
    expect((await ada.post('/account/email/confirm', { token })).text).to.include('This link no longer works')
  })

  it('changes the address at once without SMTP', async () => {
    await using dashboard = await serveDashboard()
    const ada = await dashboard.signedUp('ada@example.com')
    expect((await ada.get('/account/email')).text).to.include('stays unverified')
    const { to } = await ada.post('/account/email', { email: 'ada@new.example.com', password: PASSWORD })
    expect(to).to.equal('/account?done=address-changed')
  })
})
