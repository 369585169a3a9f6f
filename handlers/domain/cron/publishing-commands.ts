/** Programs and scripts by which applications publish what was planned, or change content, from outside of a request. */
const PUBLISHING: readonly RegExp[] = [
  /(?:^|[\s/])wp-cron\.php(?:$|[\s?])/,
  /(?:^|[\s/])wp(?:\.phar|-cli\.phar)?\s/,
  /(?:^|[\s/])drush\s/,
  /(?:^|[\s/])artisan\s/,
  /(?:^|[\s/])bin\/magento\s/,
  /(?:^|[\s/])(?:occ|cron\.php)(?:$|[\s?])/,
  /(?:^|[\s/])typo3\s/,
  /(?:^|[\s/])cli\/joomla\.php\s/,
  /(?:^|[\s/])maintenance\/run(?:Jobs)?(?:\.php)?(?:$|\s)/,
  /(?:^|[\s/])bin\/console\s/,
]
/** Commands are bounded where they enter; nothing that publishes hides behind this many characters. */
const MAX_CHARACTERS = 4096

/** Whether what a job runs may change what visitors of the account's sites see. */
export const isPublishingCommand = (command: string): boolean => {
  const text = `${command.slice(0, MAX_CHARACTERS)} `
  return PUBLISHING.some((pattern) => pattern.test(text))
}
