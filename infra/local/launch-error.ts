/** Something the user can put right; the message is one sentence that says what and how. */
export class LaunchError extends Error {}
