/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'

/** How to get more credits. It stands wherever a page says that they run out. @param base of the organization's pages */
export const CreditsHint = ({ base }: { base: string }): VNode => <a href={`${base}/plans`}>Upgrade your plan</a>
