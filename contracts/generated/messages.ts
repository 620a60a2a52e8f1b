// Written by `npm run contracts` from the schemas in contracts/. Do not edit.
/**
 * What every event carries beside its data.
 */
export interface EventMetadata {
  /**
   * Whose event this is.
   */
  orgId: string;
  /**
   * The job id on every event of a job, also on its credit events; otherwise the id of the request.
   */
  correlationId: string;
  /**
   * The event, task or request that led to this event.
   */
  causationId: string;
  /**
   * W3C trace context.
   */
  traceparent: string;
}

/**
 * One step of one job is due. Belongs to one revision: any event that moves the job ends it.
 */
export interface StepTask {
  jobId: string;
  /**
   * The organization the job belongs to.
   */
  orgId: string;
  lane: "standard" | "priority" | "bulk";
  /**
   * The step of the pipeline.
   */
  step: "fetch" | "caption" | "speech-to-text" | "extract";
  /**
   * Counts the starts of this step of this job, from 1.
   */
  attempt: number;
  /**
   * Revision of the job stream at which the step is to be claimed.
   */
  revision: number;
  /**
   * When the job times out: milliseconds since 1970, UTC.
   */
  deadlineAt: number;
  /**
   * W3C trace context.
   */
  traceparent: string;
}
