/** @jsxRuntime automatic @jsxImportSource preact */
import { linkPaths } from '#packages/accounts/people/links.ts'
import { Field, FormProblem, SendOrCancel, Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Page, type PersonPageContext, page, type Route, redirect } from '../../route.ts'
import { refusedIn, refusedWith, submitted } from '../submitted.ts'
import { PasswordAgain } from './password-again.tsx'

const PATH = '/account/email'

/** `/account/email`, and the page that the mailed link opens. The form on that page carries out the change. */
export const changeEmailRoutes = (
  { emailChanges }: Pick<DashboardParts, 'emailChanges'>,
  options: PageOptions,
): Route[] => [
  {
    path: PATH,
    access: 'person',
    get: (context) => changePage(options, context),
    async post({ visitor, form }) {
      const email = form.get('email') ?? ''
      const password = form.get('password') ?? ''
      const { done: isMailed, refusal } = await submitted(() => emailChanges.request(visitor, { email, password }))
      if (refusal) return redirect(PATH, { flash: refusedWith(refusal, { email }) })
      return redirect('/account', { notice: isMailed ? 'address-asked' : 'address-changed' })
    },
  },
  {
    path: linkPaths.email,
    access: 'person',
    get: (context) => confirmPage(options, context),
    async post({ visitor, form }) {
      const token = form.get('token') ?? ''
      const { refusal } = await submitted(() => emailChanges.confirm(visitor, token))
      if (refusal) return redirect(`${linkPaths.email}?${new URLSearchParams({ token })}`, { flash: { refusal } })
      return redirect('/account', { notice: 'address-changed' })
    },
  },
]

function changePage({ root, sendsMail }: PageOptions, { visitor: { account }, flash }: PersonPageContext): Page {
  const { status, problems, typed } = refusedIn(flash)
  return page({
    title: 'Change your e-mail address',
    section: 'account',
    status,
    main: (
      <div class="card narrow">
        <h1>Change your e-mail address</h1>
        <p>
          You sign in as <strong>{account.email}</strong>.
        </p>
        <FormProblem problems={problems} />
        <form method="post" action={root + PATH}>
          <Field
            name="email"
            label="New e-mail"
            type="email"
            value={typed.get('email') ?? ''}
            required
            autocomplete="email"
            hint={
              sendsMail
                ? 'We mail a link to this address. It works once, for an hour; until you open it, nothing changes.'
                : 'This service sends no mail, so the address is changed at once and stays unverified.'
            }
            problems={problems}
          />
          <PasswordAgain account={account} problems={problems} />
          <SendOrCancel act="Change e-mail" back={`${root}/account`} />
        </form>
      </div>
    ),
  })
}

function confirmPage({ root }: PageOptions, { visitor: { account }, query, flash }: PersonPageContext): Page {
  const { status, problems } = refusedIn(flash)
  return page({
    title: 'Confirm your new e-mail address',
    section: 'account',
    status,
    main: (
      <div class="card narrow">
        <h1>Confirm your new e-mail address</h1>
        <FormProblem problems={problems} />
        <p>
          It replaces <strong>{account.email}</strong>. You are signed out everywhere else.
        </p>
        <form method="post" action={root + linkPaths.email}>
          <input type="hidden" name="token" value={query.get('token') ?? ''} />
          <Submit>Confirm</Submit>
        </form>
      </div>
    ),
  })
}
