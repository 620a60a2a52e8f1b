/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'

/** A sentence from the contract. Text in backticks becomes code. */
export const Marked = ({ text }: { text: string }): VNode => (
  <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
)
