import { pathOf, type Route, redirect } from '../route.ts'

/** `/`: redirects to the organization that the visitor joined first. */
export const homeRoutes = (): Route[] => [
  {
    path: '/',
    access: 'person',
    get({ visitor }) {
      const [first] = visitor.account.memberships
      return redirect(first === undefined ? '/account' : pathOf(first.orgId, 'overview'))
    },
  },
]
