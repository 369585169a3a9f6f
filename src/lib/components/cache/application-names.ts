const NAMES: Readonly<Record<string, string>> = {
  wordpress: 'WordPress',
  joomla: 'Joomla',
  drupal: 'Drupal',
  typo3: 'TYPO3',
  prestashop: 'PrestaShop',
  magento: 'Magento',
  opencart: 'OpenCart',
  mediawiki: 'MediaWiki',
  dokuwiki: 'DokuWiki',
  phpbb: 'phpBB',
  nextcloud: 'Nextcloud',
  laravel: 'Laravel',
  symfony: 'Symfony',
  cakephp: 'CakePHP',
  roundcube: 'Roundcube',
  phpmyadmin: 'phpMyAdmin',
}

/** What an application calls itself. */
export const applicationName = (name: string): string => NAMES[name] ?? name
