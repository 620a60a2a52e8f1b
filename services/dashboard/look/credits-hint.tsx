/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'

/** How to get more credits, for every page that says they run out. @param base the path of the organization's pages */
export const CreditsHint = ({ base }: { base: string }): VNode => <a href={`${base}/plans`}>Upgrade your plan</a>
