/** Characters of what a cron job runs, its arguments together. */
export const MAX_COMMAND = 4000
