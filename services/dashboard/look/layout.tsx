/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { OwnPage } from '#packages/foundation/config/own-pages.ts'
import { type Page, pathOf, type Section, type VisitedOrganization, type Visitor } from '../route.ts'
import { OutLink } from './parts.tsx'

export type LayoutParts = {
  page: Page
  /** The dashboard's path, such as `/dashboard`. */
  root: string
  /** The nonce of this answer. */
  nonce: string
  assets: { style: string; script: string }
  visitor: Visitor | undefined
  org: VisitedOrganization | undefined
  /** A notice above the page, after a redirect. */
  notice: string | undefined
  /** Whether anyone may sign up. If so, there is a front page, with plans. */
  isOpen: boolean
  /** The operator's own pages, such as terms. */
  foot: readonly OwnPage[]
}

const sections: Record<Section, string> = {
  overview: 'Overview',
  jobs: 'Jobs',
  try: 'Try it',
  batches: 'Batches',
  watches: 'Watches',
  keys: 'Keys',
  webhooks: 'Webhooks',
  usage: 'Usage',
  members: 'Members',
  settings: 'Settings',
}

/** The whole document. */
export function Layout(parts: LayoutParts): VNode {
  const { page, root, nonce, assets, visitor, org, notice, isOpen, foot } = parts
  // An error page about an organization belongs to no section, but keeps the menu.
  const isInside = visitor !== undefined && (page.section !== undefined || org !== undefined)
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {page.front === undefined ? (
          <meta name="robots" content="noindex" />
        ) : (
          <meta name="description" content={page.front} />
        )}
        <title>{`${page.title} · Video Intelligence`}</title>
        <link rel="icon" href={`${root}/assets/icon.svg`} type="image/svg+xml" />
        <link rel="stylesheet" href={`${root}/assets/${assets.style}`} nonce={nonce} />
        <script type="module" src={`${root}/assets/${assets.script}`} nonce={nonce} />
      </head>
      <body class={isInside ? 'inside' : page.front === undefined ? 'outside' : 'outside front'}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {isInside ? (
          <Menu root={root} page={page} visitor={visitor} org={org} />
        ) : (
          <Brand root={root} isFront={page.front !== undefined} />
        )}
        <main id="main" tabIndex={-1}>
          {notice && (
            <p class="notice good" role="status">
              {notice}
            </p>
          )}
          {page.main}
        </main>
        {!isInside && <Foot root={root} links={foot} isOpen={isOpen} />}
      </body>
    </html>
  )
}

const Brand = ({ root, isFront }: { root: string; isFront: boolean }): VNode => (
  <header class="brand-bar">
    <a class="brand" href={`${root}/../`}>
      <Mark />
      Video Intelligence
    </a>
    {isFront && (
      <nav aria-label="Main">
        <a href={`${root}/../docs`}>Docs</a>
        <a href={`${root}/plans`}>Plans</a>
        <a href={`${root}/sign-in`}>Sign in</a>
        <a class="button main" href={`${root}/sign-up`}>
          Sign up
        </a>
      </nav>
    )}
  </header>
)

type FootParts = { root: string; links: readonly OwnPage[]; isOpen: boolean }

const Foot = ({ root, links, isOpen }: FootParts): VNode => (
  <footer class="foot">
    <nav aria-label="About this service">
      <a href={`${root}/../docs`}>Docs</a>
      {isOpen && <a href={`${root}/plans`}>Plans</a>}
      {links.map(([words, url]) => (
        <OutLink key={words} href={url}>
          {words}
        </OutLink>
      ))}
    </nav>
  </footer>
)

/** The product's mark: a play sign in a frame. */
const Mark = (): VNode => (
  <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <rect x="1" y="1" width="22" height="22" rx="6" />
    <path d="M9.5 7.5v9l7-4.5z" />
  </svg>
)

type MenuParts = { root: string; page: Page; visitor: Visitor; org: VisitedOrganization | undefined }

/** Folded on small screens, without a script. */
function Menu({ root, page, visitor, org }: MenuParts): VNode {
  return (
    <header class="menu">
      <div class="menu-head">
        <a class="brand" href={root}>
          <Mark />
          Video Intelligence
        </a>
      </div>
      <details class="menu-fold">
        <summary>Menu</summary>
        <MenuLinks root={root} page={page} visitor={visitor} org={org} />
      </details>
      <div class="menu-open">
        <MenuLinks root={root} page={page} visitor={visitor} org={org} />
      </div>
    </header>
  )
}

function MenuLinks({ root, page, visitor, org }: MenuParts): VNode {
  const current = (section: Page['section']) => (page.section === section ? ('page' as const) : undefined)
  return (
    <nav aria-label="Main">
      {org && (
        <>
          <p class="menu-org">{org.name}</p>
          <ul>
            {(Object.keys(sections) as Section[]).map((section) => (
              <li key={section}>
                <a href={root + pathOf(org.orgId, section)} aria-current={current(section)}>
                  {sections[section]}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {!org && visitor.account.memberships.length > 0 && (
        <ul>
          <li>
            <a href={root}>Back to the overview</a>
          </li>
        </ul>
      )}
      <ul class="menu-foot">
        <li>
          <a href={`${root}/../docs`}>Documentation</a>
        </li>
        {visitor.account.isOperator && (
          <li>
            <a href={`${root}/operator`} aria-current={current('operator')}>
              Operator
            </a>
          </li>
        )}
        {visitor.account.memberships.length > 1 && (
          <li>
            <a href={`${root}/organizations`}>Switch organization</a>
          </li>
        )}
        <li>
          <a href={`${root}/account`} aria-current={current('account')} title={visitor.account.email}>
            {visitor.account.email}
          </a>
        </li>
        <li>
          <form method="post" action={`${root}/sign-out`}>
            <button class="link" type="submit">
              Sign out
            </button>
          </form>
        </li>
      </ul>
    </nav>
  )
}
