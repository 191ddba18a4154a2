/** An error that a retry does not fix. Its message is shown to the user. */
export class Stop extends Error {}
