//! Has the tests of the workspace build the module that the Python tests load.

#[test]
fn the_module_is_beside_this_test() {
    let here = std::env::current_exe().unwrap();
    let name = format!(
        "{}_drystone{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    assert!(here.with_file_name(&name).is_file(), "{name} beside {}", here.display());
}
