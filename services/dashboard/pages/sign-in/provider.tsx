/** @jsxRuntime automatic @jsxImportSource preact */
import { linkPaths } from '#packages/accounts/people/links.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { type Page, page, type Route, redirect } from '../../route.ts'
import { submitted } from '../submitted.ts'
import { toFirstKey } from './first-key.tsx'
import { nextPath } from './next-path.ts'
import { Door } from './parts.tsx'
import { signInPage } from './sign-in.tsx'

type Parts = Pick<DashboardParts, 'providers' | 'sessions'>

/** `/provider` sends the visitor to the operator's OpenID provider, which sends them back to `/sign-in/provider`. */
export const providerRoutes = ({ providers, sessions }: Parts, options: PageOptions): Route[] => [
  {
    path: '/provider',
    access: 'anyone',
    get: ({ flash: { leadsTo } }) => (leadsTo === undefined ? redirect('/sign-in') : leavingPage(options, leadsTo)),
    async post({ form, address }) {
      const next = nextPath(form.get('next'))
      const organization = form.get('organization')?.trim() || undefined
      const invitation = form.get('invitation') || undefined
      const { done, refusal } = await submitted(() => providers.begin({ organization, invitation, address }))
      if (refusal) return redirect(`/sign-in?${new URLSearchParams({ next })}`, { flash: { refusal } })
      return redirect('/provider', {
        flash: { leadsTo: done.url.href },
        signInUnderWay: { state: done.state, next },
      })
    },
  },
  {
    path: linkPaths.provider,
    access: 'anyone',
    async get({ signInUnderWay, query, sessionToken }) {
      const { state = '', next = '/' } = signInUnderWay ?? {}
      const { done, refusal } = await submitted(() => providers.finish(query.toString(), state))
      if (refusal) return { ...signInPage(options, { next, flash: { refusal } }), signInUnderWay: null }
      if (sessionToken !== undefined) await sessions.end(sessionToken)
      const cookies = { session: done.session, signInUnderWay: null }
      if (done.key !== undefined) return { ...toFirstKey({ ...done.key, isSignedIn: true }), ...cookies }
      return redirect(nextPath(next), cookies)
    },
  },
]

/** Not a redirect: browsers refuse to redirect a form to an origin that the page's policy does not allow. */
const leavingPage = ({ providerName }: PageOptions, url: string): Page =>
  page({
    title: 'Signing in',
    leadsTo: url,
    main: (
      <Door title={`Going to ${providerName}`}>
        <p>
          <a href={url}>Go on</a> if nothing happens.
        </p>
      </Door>
    ),
  })
