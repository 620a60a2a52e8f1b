import type { Histories } from './histories.ts'

/** The parameters of every part of the bench. */
export type Bench = {
  /** An empty folder on a disk. It is removed in the end. */
  directory: string
  /** Makes an empty folder inside it. @returns its path */
  folder(name: string): Promise<string>
  histories: Histories
  /** The folder for CPU profiles of processes under test, if they are wanted. */
  profileDirectory: string | undefined
  /** The folder of another checkout, which is measured beside this one. */
  beside: URL | undefined
  /** 1 for a full run, smaller for a trial. It multiplies the numbers of jobs, events and seconds. */
  scale: number
}

/** A figure, and the value that it was compared with in the same run. */
export type Row = {
  what: string
  measured: string
  against?: string
  ratio?: string
  /** The value that it must reach. */
  wanted?: string
  /** Undefined if there is no such value. */
  met?: boolean
  /** The reason for the cost, in a sentence or two. Printed only if the figure is missed. */
  why?: string
}

/** How a figure changes while something grows: one value for each size. */
export type Growth = { what: string; unit: string; grows: string; values: readonly { size: number; value: number }[] }

export type Figures = { rows: Row[]; growth?: Growth[] }

export type Part = { name: string; title: string; run(bench: Bench): Promise<Figures> }
