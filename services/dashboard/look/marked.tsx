/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'

/** A sentence of the contract: what is in backticks is code. */
export const Marked = ({ text }: { text: string }): VNode => (
  <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
)
