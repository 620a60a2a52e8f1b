/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { encode } from 'uqr'
import type { OfferedSecret } from '#packages/accounts/people/second-factors.ts'
import type { SecondFactor } from '#packages/ports/accounts.ts'
import { CopyBox, Field, FormProblem, Notice, SendOrCancel } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Page, type PersonPageContext, page, type Redirect, type Route, redirect } from '../../route.ts'
import { refusedIn, refusedWith, submitted } from '../submitted.ts'
import { PasswordAgain } from './password-again.tsx'

type Parts = Pick<DashboardParts, 'secondFactors'>

const PATH = '/account/two-factor'

/** `/account/two-factor`: sets a second factor up, renews its recovery codes, and turns it off. */
export const twoFactorRoutes = ({ secondFactors }: Parts, { root }: PageOptions): Route[] => [
  {
    path: PATH,
    access: 'person',
    get(context) {
      const { account } = context.visitor
      const { flash } = context
      if (account.passwordHash === null) return redirect('/account')
      if (flash.recoveryCodes !== undefined) return codesPage(root, flash.recoveryCodes)
      if (account.secondFactor !== undefined) return managePage(root, context, account.secondFactor)
      const again = refusedIn(flash).typed.get('setUp')
      const offered = again === null ? undefined : secondFactors.offered(account, again)
      return setUpPage(root, context, offered ?? secondFactors.offer(account))
    },
    async post({ visitor, form }) {
      const setUp = form.get('setUp') ?? ''
      const given = { setUp, code: form.get('code') ?? '', password: form.get('password') ?? '' }
      const { done, refusal } = await submitted(() => secondFactors.turnOn(visitor, given))
      return refusal ? redirect(PATH, { flash: refusedWith(refusal, { setUp }) }) : toCodes(done)
    },
  },
  {
    path: `${PATH}/recovery-codes`,
    access: 'person',
    async post({ visitor, form }) {
      const password = form.get('password') ?? ''
      const { done, refusal } = await submitted(() => secondFactors.renewRecoveryCodes(visitor, password))
      return refusal ? redirect(PATH, { flash: { refusal } }) : toCodes(done)
    },
  },
  {
    path: `${PATH}/off`,
    access: 'person',
    async post({ visitor, form }) {
      const { refusal } = await submitted(() => secondFactors.turnOff(visitor, form.get('password') ?? ''))
      return refusal ? redirect(PATH, { flash: { refusal } }) : redirect('/account', { notice: 'second-factor-off' })
    },
  },
]

const toCodes = (recoveryCodes: readonly string[]): Redirect => redirect(PATH, { flash: { recoveryCodes } })

function setUpPage(root: string, { visitor: { account }, flash }: PersonPageContext, offered: OfferedSecret): Page {
  const { status, problems } = refusedIn(flash)
  return page({
    title: 'Set up two-factor authentication',
    section: 'account',
    status,
    main: (
      <div class="card narrow">
        <h1>Set up two-factor authentication</h1>
        <p>Scan this code with an authenticator app, such as 1Password, Aegis or Google Authenticator.</p>
        <QrCode text={offered.uri} />
        <p>Cannot scan it? Enter this key in the app:</p>
        <CopyBox text={offered.secret} />
        <FormProblem problems={problems} />
        <form method="post" action={root + PATH}>
          <input type="hidden" name="setUp" value={offered.setUp} />
          <Field
            name="code"
            label="Code"
            hint="The six digits that the app shows now."
            required
            autocomplete="one-time-code"
            maxLength={10}
            problems={problems}
          />
          <PasswordAgain account={account} problems={problems} />
          <SendOrCancel act="Turn on" back={`${root}/account`} />
        </form>
      </div>
    ),
  })
}

const codesPage = (root: string, codes: readonly string[]): Page =>
  page({
    title: 'Your recovery codes',
    section: 'account',
    main: (
      <div class="card narrow">
        <h1>Your recovery codes</h1>
        <Notice tone="warn">
          <p>
            <strong>Save them now.</strong> They are shown only once. Each signs you in one time if you lose your phone.
          </p>
        </Notice>
        <CopyBox text={codes.join('\n')} />
        <a class="button main" href={`${root}/account`}>
          I have saved them
        </a>
      </div>
    ),
  })

function managePage(
  root: string,
  { visitor: { account }, flash }: PersonPageContext,
  { recovery }: SecondFactor,
): Page {
  const { status, problems } = refusedIn(flash)
  return page({
    title: 'Two-factor authentication',
    section: 'account',
    status,
    main: (
      <div class="card narrow">
        <h1>Two-factor authentication</h1>
        <p>
          It is on. Recovery codes left: <strong>{recovery.length}</strong>.
        </p>
        <FormProblem problems={problems} />
        <form method="post" action={`${root}${PATH}/recovery-codes`}>
          <PasswordAgain account={account} problems={problems} />
          <p class="quiet small">
            New recovery codes replace the old ones. Turned off, your password alone signs you in.
          </p>
          <div class="row">
            <button type="submit">Get new recovery codes</button>
            <button class="bad" type="submit" formAction={`${root}${PATH}/off`}>
              Turn off
            </button>
          </div>
        </form>
        <p>
          <a href={`${root}/account`}>Back to your account</a>
        </p>
      </div>
    ),
  })
}

/** The quiet zone around the modules, which QR readers need. */
const BORDER = 4

/** Drawn with attributes only, because the page's content policy forbids inline styles. */
function QrCode({ text }: { text: string }): VNode {
  const { data, size } = encode(text, { border: BORDER })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg role="img" viewBox={`0 0 ${size} ${size}`} width="208" height="208" shapeRendering="crispEdges">
      <title>QR code of the key below</title>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
