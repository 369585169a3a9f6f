/**
 * Cookies of sessions and log-ins, by the software that sets them: its sources, its
 * documentation, or its default configuration. A `*` stands for any text. Names are
 * compared without regard to case.
 */
export const SESSION_COOKIES: readonly string[] = [
  // Whatever calls itself a session or a credential, in any language of programming.
  '*sess*',
  '*auth*',
  '*token*',
  'sid',
  '*_sid',
  'jwt',
  '*_jwt',
  'rememberme',
  'remember_*',
  'logged_in',
  'loggedin',
  'is_logged_in',
  '*userid',
  '*username',

  // PHP itself (session.name), and frameworks: Symfony, Laravel, CakePHP, Yii.
  'PHPSESSID',
  'REMEMBERME',
  'laravel_session',
  'XSRF-TOKEN',
  'CAKEPHP',
  '_identity*',
  // Java, ASP and ASP.NET, ColdFusion, Node (express-session), Django, Ruby on Rails, Plone.
  'JSESSIONID',
  'ASP.NET_SessionId',
  '.AspNet*',
  'CFID',
  'connect.sid',
  '__ac',

  // WordPress (wp-includes/default-constants.php), WooCommerce, Easy Digital Downloads.
  'wordpress_logged_in_*',
  'wordpress_sec_*',
  'wp-postpass_*',
  'comment_author_*',
  'woocommerce_items_in_cart',
  'woocommerce_cart_hash',
  'wp_woocommerce_session_*',
  'edd_*',
  // Joomla; its session cookie has 32 hexadecimal digits for a name.
  'joomla_user_state',
  'joomla_remember_me_*',
  // Drupal: `SESS` or `SSESS` and 32 hexadecimal digits are held by `*sess*`.
  'Drupal.visitor.*',
  // TYPO3.
  'fe_typo_user',
  'be_typo_user',
  // Shops: PrestaShop, Magento, OpenCart, Zen Cart, osCommerce, CS-Cart, Shopware 6.
  'PrestaShop-*',
  'X-Magento-Vary',
  'adminhtml',
  'OCSESSID',
  'zenid',
  'osCsid',
  'sid_customer_*',
  'sw-cache-hash',
  'sw-states',
  // Boards: phpBB, XenForo, MyBB, vBulletin, Simple Machines, Invision Community, Discourse.
  'phpbb3_*',
  'xf_user',
  'mybbuser',
  'bb_password',
  'SMFCookie*',
  'ips4_member_id',
  'ips4_login_key',
  'ips4_loggedIn',
  '_t',
  // Wikis: MediaWiki (`<wiki>_session`, `UserID`, `UserName`, `Token` above), DokuWiki.
  'DokuWiki',
  // Files and mail: Nextcloud, Roundcube. Administration: phpMyAdmin, Adminer.
  'nc_*',
  'oc_*',
  'phpMyAdmin*',
  'pmaUser-*',
  'pmaPass-*',
  'adminer_*',
  // More systems: ProcessWire, Serendipity, Textpattern, Contao, Piwigo, Concrete CMS, Umbraco.
  'wires',
  'wire_challenge',
  's9y_*',
  'txp_login*',
  'FE_AUTO_LOGIN',
  'pwg_*',
  'CONCRETE*',
  'UMB_*',
  'WHMCS*',
  // Plugins of LiteSpeed's cache: who is not a plain guest, and their crawler in a user's place.
  '_lscache_vary',
  'lsc_private',
  'litespeed_hash',
  'litespeed_flash_hash',
  // Single sign-on: Shibboleth, SimpleSAMLphp, CAS, oauth2-proxy, Clerk, Cloudflare Access.
  '_shib*',
  'SimpleSAML*',
  'CASTGC',
  '_oauth2_proxy*',
  '__clerk*',
  'CF_Authorization',
  // Page caches of LiteSpeed's plugins: which variant a visitor gets, and whom a crawler acts for.
  '_lscache_vary',
  'lsc_private',
  'litespeed_hash',
  'litespeed_flash_hash',
]
