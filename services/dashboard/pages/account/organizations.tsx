/** @jsxRuntime automatic @jsxImportSource preact */
import { isoOf } from '#packages/ports/clock.ts'
import { Time } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { page, pathOf, type Route } from '../../route.ts'
import { namedMemberships } from './named-memberships.ts'

/** `/organizations`: members of several organizations switch between them here. */
export const organizationsRoutes = ({ details }: Pick<DashboardParts, 'details'>, { root }: PageOptions): Route[] => [
  {
    path: '/organizations',
    access: 'person',
    async get({ visitor }) {
      const memberships = await namedMemberships(details, visitor.account)
      return page({
        title: 'Your organizations',
        section: 'account',
        main: (
          <>
            <h1>Your organizations</h1>
            {memberships.length === 0 && (
              <p>You are not a member of any organization. Ask an owner for an invitation.</p>
            )}
            <ul class="plain grid">
              {memberships.map(({ orgId, name, role, since }) => (
                <li key={orgId} class="card">
                  <h2>
                    <a href={root + pathOf(orgId, 'overview')}>{name}</a>
                  </h2>
                  <p class="quiet small">
                    {role === 'owner' ? 'Owner' : 'Member'} since <Time at={isoOf(since)} />
                  </p>
                </li>
              ))}
            </ul>
          </>
        ),
      })
    },
  },
]
