<?php
/**
 * Works inside one site as its account, for Berth: reads one order as JSON from standard input and
 * writes one answer as JSON to descriptor 3. What the site itself prints is dropped, but for a few
 * words where it ends before it has answered. Secrets come and go by those two descriptors alone.
 */

namespace Berth\Runner;

/** Answers, once. */
final class Reply
{
	private static bool $given = false;

	public static function give(array $reply): void
	{
		if (self::$given) return;
		self::$given = true;
		$out = fopen('php://fd/3', 'w');
		$flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE;
		fwrite($out, json_encode($reply, $flags));
		fclose($out);
	}

	public static function refuse(string $why): void
	{
		$why = preg_replace('#<(style|script|title)\b.*?</\1>#is', ' ', $why) ?? '';
		$words = trim(preg_replace('/\s+/', ' ', strip_tags($why)));
		self::give(['ok' => false, 'error' => substr($words === '' ? 'It ended without an answer.' : $words, 0, 400)]);
	}
}

/** Something that is told to whoever asked. */
final class Refusal extends \Exception
{
}

require __DIR__ . '/config.php';
require __DIR__ . '/replace.php';
foreach (['frames', 'tree', 'tables', 'keys', 'exchange', 'network', 'adopt'] as $part) require __DIR__ . "/$part.php";
require __DIR__ . '/extensions.php';

$order = json_decode(stream_get_contents(STDIN), true);
ob_start(null, 65536);
register_shutdown_function(static function (): void {
	Reply::refuse((string) ob_get_contents());
	while (ob_get_level() > 0) ob_end_clean();
});
ignore_user_abort(true);
umask(022);

/** Copies a tree; links are followed, since packages place them, and what leads nowhere is left out. */
function copyTree(string $from, string $to, array $without, int $depth = 0): void
{
	if ($depth > 40) throw new Refusal("The source $from has links in a circle.");
	if (!is_dir($to) && !mkdir($to, 0755, true)) throw new Refusal('The folder cannot be made.');
	foreach (scandir($from) as $name) {
		if ($name === '.' || $name === '..' || ($depth === 0 && in_array($name, $without, true))) continue;
		$source = "$from/$name";
		if (is_dir($source)) copyTree($source, "$to/$name", [], $depth + 1);
		elseif (is_file($source) && !copy($source, "$to/$name"))
			throw new Refusal('A file could not be written. Is there enough room in the account?');
	}
}

/** What a request to the site would find set. */
function asRequestTo(string $url): void
{
	$parts = parse_url($url);
	$isSecure = ($parts['scheme'] ?? 'http') === 'https';
	$_SERVER = array_merge($_SERVER, [
		'HTTP_HOST' => $parts['host'] ?? 'localhost',
		'SERVER_NAME' => $parts['host'] ?? 'localhost',
		'SERVER_PORT' => $isSecure ? '443' : '80',
		'SERVER_PROTOCOL' => 'HTTP/1.1',
		'REQUEST_METHOD' => 'GET',
		'REQUEST_URI' => $parts['path'] ?? '/',
		'REMOTE_ADDR' => '127.0.0.1',
		'HTTP_USER_AGENT' => 'Berth',
	]);
	if ($isSecure) $_SERVER['HTTPS'] = 'on';
	else unset($_SERVER['HTTPS']);
}

/** Loads the WordPress of a folder as a request to `$url` would, without asking anybody on the network unless `$online`. */
function load(string $folder, string $url, bool $online = false): void
{
	asRequestTo($url);
	if (!is_file("$folder/wp-load.php")) throw new Refusal('No WordPress is in that folder.');
	define('DISABLE_WP_CRON', true);
	if (!$online) define('WP_HTTP_BLOCK_EXTERNAL', true);
	// Filters that are set before WordPress is there become its own.
	if (!$online) $GLOBALS['wp_filter'] = [
		'pre_http_request' => [10 => [['function' => static fn () => new \WP_Error('berth', 'No request is made here.'), 'accepted_args' => 3]]],
	];
	chdir($folder);
	// In the global scope of WordPress: it sets its variables there.
	Scope::load("$folder/wp-load.php");
}

/** WordPress expects its files to be included where its variables are global. */
final class Scope
{
	public static function load(string $file): void
	{
		global $wp, $wp_query, $wp_the_query, $wp_rewrite, $wp_did_header, $wpdb, $table_prefix, $wp_version,
			$wp_db_version, $tinymce_version, $required_php_version, $required_mysql_version, $wp_local_package,
			$blog_id, $shortcode_tags, $wp_locale, $wp_roles, $wp_widget_factory, $pagenow, $timestart,
			$wp_object_cache, $wp_plugin_paths, $locale, $wp_locale_switcher, $wp_embed, $wp_textdomain_registry,
			$wp_theme_directories, $wp_meta_keys, $current_site, $current_blog, $PHP_SELF;
		require $file;
	}
}

/** A value as it stands in a PHP file. */
function quoted(string $value): string
{
	return "'" . strtr($value, ['\\' => '\\\\', "'" => "\\'"]) . "'";
}

function randomText(int $length): string
{
	$letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!@#%^&*()-_[]{}<>~+=,.;:/?|';
	$text = '';
	for ($n = 0; $n < $length; $n++) $text .= $letters[random_int(0, strlen($letters) - 1)];
	return $text;
}

/** The configuration of a new WordPress. */
function configText(array $database): string
{
	$lines = ["<?php", '', '// Made by Berth when WordPress was installed.'];
	$defined = [
		'DB_NAME' => $database['name'],
		'DB_USER' => $database['user'],
		'DB_PASSWORD' => $database['password'],
		'DB_HOST' => $database['host'],
		'DB_CHARSET' => 'utf8mb4',
		'DB_COLLATE' => '',
	];
	foreach ($defined as $name => $value) $lines[] = "define('$name', " . quoted($value) . ');';
	$lines[] = '';
	foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name)
		foreach (['KEY', 'SALT'] as $kind) $lines[] = "define('{$name}_$kind', " . quoted(randomText(64)) . ');';
	return implode("\n", array_merge($lines, [
		'', '$table_prefix = \'wp_\';', '', "define('FS_METHOD', 'direct');", "define('WP_DEBUG', false);", '',
		"if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');", "require_once ABSPATH . 'wp-settings.php';", '',
	]));
}

/** What WordPress itself would write for addresses without `index.php`. */
function rulesText(string $url): string
{
	$base = parse_url($url, PHP_URL_PATH) ?: '/';
	return implode("\n", [
		'# BEGIN WordPress', '<IfModule mod_rewrite.c>', 'RewriteEngine On', 'RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]',
		"RewriteBase $base", 'RewriteRule ^index\.php$ - [L]', 'RewriteCond %{REQUEST_FILENAME} !-f', 'RewriteCond %{REQUEST_FILENAME} !-d',
		"RewriteRule . {$base}index.php [L]", '</IfModule>', '', '# END WordPress', '',
	]);
}

function writeNew(string $file, string $text, int $mode): void
{
	$handle = fopen($file, 'x');
	if ($handle === false) throw new Refusal(basename($file) . ' is there already.');
	chmod($file, $mode);
	if (fwrite($handle, $text) !== strlen($text)) throw new Refusal(basename($file) . ' could not be written.');
	fclose($handle);
}

/** Copies WordPress into a folder that is not there yet, and installs it into an empty database. */
function install(array $order): array
{
	['folder' => $folder, 'source' => $source, 'url' => $url, 'database' => $database, 'site' => $site] = $order;
	copyTree($source, $folder, ['wp-config.php', '.htaccess', 'wp-config-sample.php.orig']);
	writeNew("$folder/wp-config.php", configText($database), 0600);
	writeNew("$folder/.htaccess", rulesText($url), 0644);
	define('WP_INSTALLING', true);
	define('WP_SITEURL', rtrim($url, '/'));
	load($folder, $url);
	// Pluggable: nobody is sent a mail with his own password in it.
	eval('function wp_new_blog_notification() {}');
	require_once ABSPATH . 'wp-admin/includes/upgrade.php';
	require_once ABSPATH . WPINC . '/class-wpdb.php';
	if (is_blog_installed()) throw new Refusal('A WordPress is in that database already.');
	$locale = $site['locale'] === 'en_US' ? '' : $site['locale'];
	if ($locale !== '') {
		load_default_textdomain($locale);
		$GLOBALS['wp_locale'] = new \WP_Locale();
	}
	if (sanitize_user($site['user'], true) !== $site['user'])
		throw new Refusal('WordPress takes no administrator of that name.');
	wp_install($site['title'], $site['user'], $site['email'], true, '', wp_slash($site['password']), $locale);
	global $wp_rewrite;
	$wp_rewrite->set_permalink_structure('/%postname%/');
	$wp_rewrite->flush_rules(false);
	if (get_user_by('login', $site['user']) === false) throw new Refusal('WordPress was not installed.');
	return ['version' => $GLOBALS['wp_version']];
}

/** Administrators, the first one first. */
function administrators(array $order): array
{
	load($order['folder'], $order['url']);
	$found = get_users(['role' => 'administrator', 'orderby' => 'ID', 'number' => 100]);
	return ['users' => array_map(static fn ($user) => [
		'id' => (int) $user->ID,
		'login' => (string) $user->user_login,
		'email' => (string) $user->user_email,
	], array_values($found))];
}

/** Cookies that a log-in of an administrator would set, and where it would lead to. */
function enter(array $order): array
{
	load($order['folder'], $order['url']);
	$user = get_user_by('id', $order['user']);
	if ($user === false || !in_array('administrator', (array) $user->roles, true))
		throw new Refusal('The site has no such administrator any more.');
	$cookies = [];
	$add = static function (string $name, string $value, string $path, bool $secure) use (&$cookies): void {
		$cookies[] = ['name' => $name, 'value' => $value, 'path' => $path, 'secure' => $secure];
	};
	add_filter('send_auth_cookies', '__return_false', PHP_INT_MAX);
	$secure = is_ssl();
	add_action('set_auth_cookie', static function ($value, $expire, $expiration, $id, $scheme) use ($add): void {
		$isSecure = $scheme === 'secure_auth';
		$name = $isSecure ? SECURE_AUTH_COOKIE : AUTH_COOKIE;
		$add($name, $value, PLUGINS_COOKIE_PATH, $isSecure);
		$add($name, $value, ADMIN_COOKIE_PATH, $isSecure);
	}, 10, 5);
	add_action('set_logged_in_cookie', static function ($value) use ($add, $secure): void {
		$isSecure = (bool) apply_filters('secure_logged_in_cookie', $secure && parse_url(get_option('home'), PHP_URL_SCHEME) === 'https', 0, $secure);
		$add(LOGGED_IN_COOKIE, $value, COOKIEPATH, $isSecure);
		if (COOKIEPATH !== SITECOOKIEPATH) $add(LOGGED_IN_COOKIE, $value, SITECOOKIEPATH, $isSecure);
	});
	wp_set_auth_cookie($user->ID, false, $secure);
	return ['cookies' => $cookies, 'location' => admin_url(), 'domain' => (string) COOKIE_DOMAIN];
}

/** Sets the password of an administrator, and ends his sessions. */
function setPassword(array $order): array
{
	load($order['folder'], $order['url']);
	$user = get_user_by('id', $order['user']);
	if ($user === false || !in_array('administrator', (array) $user->roles, true))
		throw new Refusal('The site has no such administrator any more.');
	// As its own forms have it, which hand on what was sent with slashes.
	wp_set_password(wp_slash($order['password']), $user->ID);
	\WP_Session_Tokens::get_instance($user->ID)->destroy_all();
	return ['user' => (string) $user->user_login];
}

/** MD5 sums of the core's files; what is no file, or larger than any of WordPress, has another one. */
function hashes(array $order): array
{
	$folder = $order['folder'];
	$files = [];
	$look = static function (string $below, int $depth) use (&$look, &$files, $folder): void {
		foreach ((array) @scandir("$folder/$below") as $name) {
			if ($name === '.' || $name === '..' || count($files) >= 20000 || $depth > 40) continue;
			$path = ltrim("$below/$name", '/');
			$whole = "$folder/$path";
			if (is_dir($whole) && !is_link($whole)) {
				if ($below !== '' || in_array($name, ['wp-admin', 'wp-includes'], true)) $look($path, $depth + 1);
			} elseif ($below !== '' || substr($name, -4) === '.php')
				$files[] = [$path, is_file($whole) && filesize($whole) < 20000000 ? (string) md5_file($whole) : 'none'];
		}
	};
	$look('', 0);
	return ['files' => $files];
}

/** Copies what of a source is named into a folder of its own. */
function copyNames(array $order): array
{
	foreach ($order['names'] as $name) {
		$source = $order['source'] . "/$name";
		if (is_dir($source)) copyTree($source, $order['folder'] . "/$name", []);
		else {
			if (!is_dir($order['folder'])) mkdir($order['folder'], 0755, true);
			if (!copy($source, $order['folder'] . "/$name")) throw new Refusal('A file could not be written. Is there enough room in the account?');
		}
	}
	return ['copied' => count($order['names'])];
}

/** Has the front page made, as a request to it would; what it says goes nowhere. */
function check(array $order): array
{
	// A page may end the script by itself, e.g. by leading on: that is no failure.
	register_shutdown_function(static function (): void {
		$error = error_get_last();
		if ($error !== null && in_array($error['type'], [E_ERROR, E_PARSE, E_CORE_ERROR, E_COMPILE_ERROR, E_RECOVERABLE_ERROR], true))
			Reply::refuse('The site fails: ' . strtok($error['message'], "\n"));
		elseif (!defined('DB_NAME') || !did_action('init')) Reply::refuse('The site does not come up. ' . ob_get_contents());
		else Reply::give(['ok' => true, 'data' => ['database' => DB_NAME]]);
	});
	load($order['folder'], $order['url']);
	if (!defined('WP_USE_THEMES')) define('WP_USE_THEMES', true);
	wp();
	Scope::load(ABSPATH . WPINC . '/template-loader.php');
	return ['database' => DB_NAME];
}

/** Brings the tables to what this version has. */
function upgrade(array $order): array
{
	define('WP_INSTALLING', true);
	load($order['folder'], $order['url']);
	require_once ABSPATH . 'wp-admin/includes/upgrade.php';
	wp_upgrade();
	return ['version' => $GLOBALS['wp_version']];
}

const ORDERS = [
	'install' => 'install', 'administrators' => 'administrators', 'enter' => 'enter', 'password' => 'setPassword',
	'hashes' => 'hashes', 'settings' => 'settings', 'configure' => 'configure', 'replace' => 'replaceAddress',
	'copy' => 'copyNames', 'check' => 'check', 'upgrade' => 'upgrade',
	'survey' => 'survey', 'pack-files' => 'packFiles', 'unpack-files' => 'unpackFiles', 'keep-live' => 'keepLive',
	'pack-tables' => 'packTables', 'unpack-tables' => 'unpackTables', 'adopt' => 'adopt', 'replace-all' => 'replaceAll', 'move-network' => 'moveNetwork', 'return-network' => 'returnNetwork', 'site-at' => 'siteAt',
	'bind-tables' => 'bindTables', 'name-keys' => 'nameKeys', 'exchange-tables' => 'exchangeTables', 'return-tables' => 'returnTables', 'drop-tables' => 'dropTables',
	'offers' => 'offers', 'fetch' => 'fetchPackage', 'judge' => 'judge', 'updated' => 'updated',
];


try {
	$name = is_array($order) ? ORDERS[$order['op'] ?? ''] ?? null : null;
	if ($name === null) throw new Refusal('There is no such order.');
	Reply::give(['ok' => true, 'data' => (__NAMESPACE__ . "\\$name")($order)]);
} catch (Refusal $refusal) {
	Reply::refuse($refusal->getMessage());
} catch (\Throwable $error) {
	Reply::refuse(get_class($error) . ': ' . $error->getMessage());
}
