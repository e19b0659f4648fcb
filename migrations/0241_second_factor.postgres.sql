-- +goose Up
-- What a role takes is remembered with who is there.
CREATE CONSTRAINT TRIGGER role_rules_epoch AFTER INSERT OR UPDATE OR DELETE ON role_rules
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_epoch('settings');
