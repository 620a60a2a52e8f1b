/** @jsxRuntime automatic @jsxImportSource preact */
import { FormProblem, Submit } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Flash, type Page, page, type Route, redirect } from '../../route.ts'
import { refusedIn, submitted } from '../submitted.ts'
import { toFirstKey } from './first-key.tsx'
import { Door } from './parts.tsx'

/** `/verify`: the link that a sign-up mails. Programs that scan mails open it too, so only its form confirms. */
export const verifyRoutes = ({ signUps }: Pick<DashboardParts, 'signUps'>, options: PageOptions): Route[] => [
  {
    path: '/verify',
    access: 'anyone',
    get: ({ query, flash }) => verifyPage(options, query.get('token') ?? '', flash),
    async post({ form }) {
      const token = form.get('token') ?? ''
      const { done, refusal } = await submitted(() => signUps.verify(token))
      if (refusal) return redirect(`/verify?${new URLSearchParams({ token })}`, { flash: { refusal } })
      // No session begins: someone else may have opened the link, and the person who signed up knows the password.
      if (done.key === undefined) return redirect('/sign-in', { notice: 'address-confirmed' })
      return toFirstKey({ ...done.key, isSignedIn: false })
    },
  },
]

function verifyPage({ root }: PageOptions, token: string, flash: Flash): Page {
  const { status, problems } = refusedIn(flash)
  return page({
    title: 'Confirm your e-mail address',
    status,
    main: (
      <Door
        title="Confirm your e-mail address"
        below={
          <p>
            Confirmed already? <a href={`${root}/sign-in`}>Sign in</a>
          </p>
        }
      >
        <FormProblem problems={problems} />
        <p>This creates your organization, with its first key and credits.</p>
        <form method="post" action={`${root}/verify`}>
          <input type="hidden" name="token" value={token} />
          <Submit tone="main full">Confirm my address</Submit>
        </form>
      </Door>
    ),
  })
}
