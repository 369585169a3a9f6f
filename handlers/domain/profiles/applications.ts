/** Applications whose cookies, private paths and changing requests the page cache knows. */
export const APPLICATIONS = [
  'wordpress',
  'joomla',
  'drupal',
  'typo3',
  'prestashop',
  'magento',
  'opencart',
  'mediawiki',
  'dokuwiki',
  'phpbb',
  'nextcloud',
  'laravel',
  'symfony',
  'cakephp',
  'roundcube',
  'phpmyadmin',
] as const

/** One of `APPLICATIONS`. */
export type ApplicationName = (typeof APPLICATIONS)[number]

/** What `[virtualhost.cache] application` may say: one of them, or that there is none of them. */
export const APPLICATION_CHOICES = ['none', ...APPLICATIONS] as const
