/** The parameters with which a contestant is opened. */
export type Opening = {
  /** A folder of its own on the disk. */
  directory: string
  /** Steps of a kind at once. */
  slots: number
}

/** A contest: this many jobs of three steps that do nothing, enqueued one by one. */
export type Contest = { jobs: number; addsAtOnce: number }
