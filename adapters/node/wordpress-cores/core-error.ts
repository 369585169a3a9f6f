/** Why an archive of WordPress is not taken, or one that was taken stays, for who asked for it. */
export class CoreError extends Error {}
