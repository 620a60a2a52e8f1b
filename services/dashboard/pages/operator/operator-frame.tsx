/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact'

const pages = [
  ['organizations', 'Organizations', ''],
  ['platforms', 'Platforms', '/platforms'],
  ['audit', 'Audit trail', '/audit'],
] as const

type Parts = { root: string; current: (typeof pages)[number][0]; title: string; children: ComponentChildren }

/** The frame of all pages for operators. */
export const OperatorFrame = ({ root, current, title, children }: Parts): VNode => (
  <>
    <h1>{title}</h1>
    <nav class="tabs" aria-label="Operator">
      {pages.map(([name, label, path]) => (
        <a key={name} href={`${root}/operator${path}`} aria-current={name === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
    {children}
  </>
)
