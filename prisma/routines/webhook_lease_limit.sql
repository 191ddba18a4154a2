-- Maximum of deliveries in one lease: its row must fit into a database page (8 KB).
CREATE OR REPLACE FUNCTION webhook_lease_limit() RETURNS INT LANGUAGE sql IMMUTABLE AS 'SELECT 800';
