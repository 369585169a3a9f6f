<?php
/** Puts tables that were brought beside those of a site in their place, and back; see runner.php. */

namespace Berth\Runner;

/** What a site keeps of its options whatever is brought: who it is, and its secrets. */
const KEPT_OPTIONS = ['siteurl', 'home', 'blog_public', 'auth_key', 'auth_salt', 'secure_auth_key', 'secure_auth_salt', 'logged_in_key', 'logged_in_salt', 'nonce_key', 'nonce_salt'];

function hasTable(\mysqli $db, string $table): bool
{
	$name = $db->real_escape_string($table);
	return $db->query("SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '$name'")->num_rows > 0;
}

/** Takes the options over that the site keeps. */
function keepOptions(\mysqli $db, string $live, string $fresh, string $name, string $columns): void
{
	$list = "'" . implode("','", KEPT_OPTIONS) . "'";
	$db->query('DELETE FROM ' . named($fresh) . " WHERE $name IN ($list)");
	$db->query('INSERT INTO ' . named($fresh) . " ($columns) SELECT $columns FROM " . named($live) . " WHERE $name IN ($list)");
}

/** Puts `[fresh, live, old]` in place, all at one moment. */
function exchangeTables(array $order): array
{
	$db = connectAsSite($order);
	global $wpdb;
	$prefix = preg_quote($wpdb->base_prefix, '/');
	$renamed = [];
	foreach ($order['tables'] as [$fresh, $live, $old]) {
		$isThere = hasTable($db, $live);
		// Of a network each site has options of its own, and all of them have some together.
		if ($isThere && preg_match("/^{$prefix}(?:[0-9]+_)?options$/D", $live) === 1) keepOptions($db, $live, $fresh, 'option_name', 'option_name, option_value, autoload');
		if ($isThere && $live === $wpdb->base_prefix . 'sitemeta') keepOptions($db, $live, $fresh, 'meta_key', 'site_id, meta_key, meta_value');
		if ($isThere) $renamed[] = named($live) . ' TO ' . named($old);
		$renamed[] = named($fresh) . ' TO ' . named($live);
	}
	$db->query('RENAME TABLE ' . implode(', ', $renamed));
	wp_cache_flush();
	return [];
}

/** Puts back what was exchanged; nothing where it was not. What was brought is beside it again. */
function returnTables(array $order): array
{
	$db = connectAsSite($order);
	$renamed = [];
	foreach ($order['tables'] as [$fresh, $live, $old]) {
		if (hasTable($db, $fresh)) continue;
		if (hasTable($db, $live)) $renamed[] = named($live) . ' TO ' . named($fresh);
		if (hasTable($db, $old)) $renamed[] = named($old) . ' TO ' . named($live);
	}
	if ($renamed !== []) $db->query('RENAME TABLE ' . implode(', ', $renamed));
	wp_cache_flush();
	return [];
}

/** Removes tables that nobody needs any more, there or not. */
function dropTables(array $order): array
{
	$db = connectAsSite($order);
	foreach ($order['tables'] as $table) $db->query('DROP TABLE IF EXISTS ' . named($table));
	return [];
}
