import type { Histories } from './histories.ts'

/** What every part of the bench is given. */
export type Bench = {
  /** An empty folder on a disk, removed in the end. */
  directory: string
  histories: Histories
  /** Where processes under test leave CPU profiles, if they are wanted. */
  profileDirectory: string | undefined
  /** The folder of another checkout, which is measured beside this one. */
  beside: URL | undefined
  /** 1 for a full run; smaller to try a part out. Multiplies numbers of jobs, events and seconds. */
  scale: number
}

/** A figure and what it was measured against in the same run. */
export type Row = {
  what: string
  measured: string
  against?: string
  ratio?: string
  /** What it must reach. */
  wanted?: string
  /** Undefined where nothing is asked for. */
  met?: boolean
  /** Where the cost lies, in a sentence or two. Printed only where the figure is missed. */
  why?: string
}

/** How a figure moves while something grows: one value for each size. */
export type Growth = { what: string; unit: string; grows: string; values: readonly { size: number; value: number }[] }

export type Figures = { rows: Row[]; growth?: Growth[] }

export type Part = { name: string; title: string; run(bench: Bench): Promise<Figures> }
